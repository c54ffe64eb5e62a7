package event

import (
	"cmp"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// maxShownPanics is how many panics are shown with all that is known of them of a package: nobody
// uses a tool that cries wolf. The others are told in a line, or counted, and all are stored.
const maxShownPanics = 1

// maxPanics is how many panics of different causes a package has that does not panic by
// habit. In draws 2 to 6 (docs/bench) the packages with up to three had 12 bugs among 35 such
// causes, the five with more had 1 among 39.
const maxPanics = 3

// maxTold is how many panics that are unlikely to be bugs are told of, in a line each, and maxSuspects
// how many suspects.
const (
	maxTold     = 3
	maxSuspects = 5
)

// maxLine is the length in bytes up to which the calls of a finding are told in a line.
const maxLine = 200

// suspectOdds tells how often a suspect was a bug: see docs/bench/labels.tsv.
const suspectOdds = "    of such suspects 22 of 208 were bugs, in packages that foray was not made with\n"

// A Group decides which findings of one package are shown. It joins findings that
// probably have one cause: the first of them is shown, the others are counted.
type Group struct {
	// Target says that the findings are of a fuzz target, which foray replay does not run.
	Target bool

	all   bool // -v shows all
	plain bool // panics that are unlikely to be bugs are shown as others are
	list  []*cause
	byKey map[string]*cause // by [blame.Causes]
	held  []*Finding        // that may be shown later
	shown []string          // the signatures of the errors shown so far, one a cause
	// settled says that no error waits any more: see [Group.Settle].
	settled bool
}

// cause is a finding with those that share its cause.
type cause struct {
	signature string
	tier      engine.Tier
	more      []string // signatures
}

// A Place is the decision on one finding.
type Place struct {
	SameCauseAs string // the signature of an earlier finding; empty if there is none
	Hidden      bool   // not to be printed for people
}

// NewGroup returns an empty group. all says that no finding is hidden. Without plain, a panic
// is told in a line if it is unlikely to be a bug: see package odds.
func NewGroup(all, plain bool) *Group {
	return &Group{all: all, plain: plain, byKey: map[string]*cause{}}
}

// Add decides on a finding.
func (g *Group) Add(t *seq.Table, f *engine.Finding) Place {
	signature := f.Verdict.Signature.String()
	return g.add(append(blame.Causes(t, f.Steps, &f.Verdict), signature), signature, f.Verdict.Tier)
}

// add decides on a finding with some keys. An error never hides behind a suspect.
func (g *Group) add(keys []string, signature string, tier engine.Tier) Place {
	var c *cause
	for _, key := range keys {
		if k := g.byKey[key]; k != nil && k.tier >= tier {
			c = k
			break
		}
	}
	var p Place
	if c == nil {
		c = &cause{signature: signature, tier: tier}
		g.list = append(g.list, c)
	} else {
		if signature != c.signature && !slices.Contains(c.more, signature) {
			c.more = append(c.more, signature)
		}
		p = Place{SameCauseAs: c.signature, Hidden: !g.all}
	}
	for _, key := range keys {
		if k := g.byKey[key]; k == nil || k.tier < c.tier {
			g.byKey[key] = c
		}
	}
	return p
}

// AlsoAt returns, by the signature of each finding that is the first of its cause, those of
// the others.
func (g *Group) AlsoAt() map[string][]string {
	also := map[string][]string{}
	for _, c := range g.list {
		if len(c.more) > 0 {
			also[c.signature] = c.more
		}
	}
	return also
}

// Hold has a finding that is to be printed wait for the end if its tier is below error. The
// surest are shown then. A broken promise waits until [Group.Settle]: of the errors judged in
// draws 19 to 24 (docs/bench) 12 of 41 such were bugs, 36 of 52 of the others. [Printer.Print]
// is to print the finding nevertheless, for JSON.
func (g *Group) Hold(e *Finding) {
	if e.Text.Hidden || e.SameCauseAs != "" {
		return
	}
	if e.Tier == engine.Error.String() && (g.all || g.settled || e.Claim != string(engine.ClaimPromise)) {
		g.shown = append(g.shown, e.Signature)
		return
	}
	e.Text.Hidden = !g.all
	g.held = append(g.held, e)
}

// Settle prints the errors that were held. Later ones are printed as they are found.
func (g *Group) Settle(p *Printer) {
	g.settled = true
	g.held = slices.DeleteFunc(g.held, func(e *Finding) bool {
		if e.Tier != engine.Error.String() {
			return false
		}
		e.Text.Hidden = false
		e.text(p)
		g.shown = append(g.shown, e.Signature)
		return true
	})
}

// Shown returns the signatures of the findings that people see without -v, in that order, one a
// cause. Those that are told in a line are not among them.
func (g *Group) Shown() []string {
	list := slices.Clone(g.shown)
	for _, e := range g.choose().shown {
		list = append(list, e.Signature)
	}
	return list
}

// A choice divides the findings that were held, the surest first.
type choice struct {
	shown    []*Finding
	told     []*Finding // in a line
	suspects []*Finding // the same
	others   map[string]bool
	habit    bool // see panicsByHabit
}

func (g *Group) choose() choice {
	slices.SortStableFunc(g.held, compareSure)
	c := choice{others: map[string]bool{}, habit: g.panicsByHabit()}
	var n [engine.Tiers]int
	for _, e := range g.held {
		tier, _ := engine.ParseTier(e.Tier)
		if k := g.byKey[e.Signature]; k != nil && k.tier > tier {
			continue // it was found again, and is surer
		}
		simple := tier == engine.Panic && e.Text.Unlikely
		habit := c.habit && e.Claim == string(engine.ClaimCrash)
		switch n[tier]++; {
		case tier == engine.Suspect && n[tier] <= maxSuspects:
			c.suspects = append(c.suspects, e)
		case simple && !g.plain && !habit && len(c.told) < maxTold:
			c.told = append(c.told, e)
		case tier == engine.Suspect, tier == engine.Panic && n[tier] > maxShownPanics, simple && (habit || !g.plain):
			c.others[e.Signature] = true
		default:
			c.shown = append(c.shown, e)
		}
	}
	return c
}

// compareSure orders findings by their tier, then by their odds.
func compareSure(a, b *Finding) int {
	at, _ := engine.ParseTier(a.Tier)
	bt, _ := engine.ParseTier(b.Tier)
	return cmp.Or(cmp.Compare(bt, at), cmp.Compare(b.Odds, a.Odds))
}

// maxMore is how many hidden findings of one cause are named.
const maxMore = 5

// rest prints the findings that were held, and counts those that are not shown. dir holds
// them.
func (g *Group) rest(p *Printer, dir string) {
	if g.all {
		return
	}
	choice := g.choose()
	for _, e := range choice.shown {
		e.Text.Hidden = false
		e.text(p)
	}
	g.lines(p, choice.told, "", "less sure finding", "")
	g.lines(p, choice.suspects, " that may well be misuse", "suspect", suspectOdds)
	var hidden FindingsByTier
	for _, c := range g.list {
		if choice.others[c.signature] {
			if c.tier == engine.Panic {
				hidden.Panic += 1 + len(c.more)
			} else {
				hidden.Suspect += 1 + len(c.more)
			}
			continue
		}
		if c.tier == engine.Suspect {
			hidden.Suspect += len(c.more)
			continue
		}
		if len(c.more) == 0 {
			continue
		}
		p.Printf("and %s to see %s; -v shows all:", text.Plural(len(c.more), "more way"), c.signature)
		for i, signature := range c.more {
			if i == maxMore {
				p.Printf("    … %d more", len(c.more)-i)
				break
			}
			p.Printf("    %s", signature)
		}
	}
	if more := hidden.unsure("more "); more != "" {
		p.Printf("%s not shown; -v shows all%s", more, when(!g.Target, ", and all are stored in %s", p.Relative(dir)))
	}
	if choice.habit {
		p.Printf("a package with so many panics mostly leaves it to its callers to check what they give")
	}
}

// lines tells of findings in a line each, and their calls in another.
func (g *Group) lines(p *Printer, list []*Finding, why, noun, end string) {
	if len(list) == 0 {
		return
	}
	p.Printf("%s%s; -v shows all%s:", text.Plural(len(list), noun), why, when(!g.Target, ", and foray replay SIGNATURE one of them"))
	for _, e := range list {
		reason := e.odds()
		if e.Text.Lowered {
			reason = e.Document
		}
		p.Printf("    %s (%s%s%s)", e.Message, e.Signature, when(reason != "", "; "), reason)
		if code := oneLine(e.Text.Code); code != "" {
			p.Printf("        %s", code)
		}
	}
	p.Printf("%s", end)
}

// oneLine returns statements in one line, "" if they are too many for one. It leaves out a comment
// before them.
func oneLine(code string) string {
	code = strings.TrimSpace(code)
	for strings.HasPrefix(code, "//") {
		_, code, _ = strings.Cut(code, "\n")
	}
	if strings.Contains(code, "\n\t") { // a func literal of several lines
		return ""
	}
	if code = strings.ReplaceAll(code, "\n", "; "); len(code) > maxLine {
		return ""
	}
	return code
}

// panicsByHabit reports whether so many calls panic that a panic is no exception in this
// package [Engler01]. It mostly leaves checks to its callers.
func (g *Group) panicsByHabit() bool {
	n := 0
	for _, e := range g.held {
		if e.Tier == engine.Panic.String() && e.Claim == string(engine.ClaimCrash) {
			n++
		}
	}
	return n > maxPanics
}
