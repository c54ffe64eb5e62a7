package event

import (
	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// maxSuspects is how many suspects of a package are shown: nobody uses a tool that cries
// wolf. The others are counted, and all are stored.
const maxSuspects = 5

// A Group decides which findings of one package are shown. It joins findings that
// probably have one cause: the first of them is shown, the others are counted.
type Group struct {
	all      bool // -v shows all
	list     []*cause
	byKey    map[string]*cause // by [contract.Causes]
	suspects int               // causes whose finding is a suspect
}

// cause is a finding with those that share its cause.
type cause struct {
	signature string
	tier      engine.Tier
	more      []string // signatures
	hidden    bool     // it is one suspect too many
}

// A Place is the decision on one finding.
type Place struct {
	SameCauseAs string // the signature of an earlier finding; empty if there is none
	Hidden      bool   // not to be printed for people
}

// NewGroup returns an empty group. all says that no finding is hidden.
func NewGroup(all bool) *Group { return &Group{all: all, byKey: map[string]*cause{}} }

// Add decides on a finding.
func (g *Group) Add(t *seq.Table, f *engine.Finding) Place {
	signature := f.Verdict.Signature.String()
	return g.add(append(contract.Causes(t, f.Steps, &f.Verdict), signature), signature, f.Verdict.Tier)
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
		if tier == engine.Suspect {
			g.suspects++
			c.hidden = g.suspects > maxSuspects && !g.all
		}
		p.Hidden = c.hidden
	} else {
		c.more = append(c.more, signature)
		p = Place{SameCauseAs: c.signature, Hidden: !g.all}
	}
	for _, key := range keys {
		if k := g.byKey[key]; k == nil || k.tier < c.tier {
			g.byKey[key] = c
		}
	}
	return p
}

// maxMore is how many hidden findings of one cause are named.
const maxMore = 5

// rest prints the findings that were not shown. dir holds them.
func (g *Group) rest(p *Printer, dir string) {
	if g.all {
		return
	}
	hidden := 0
	for _, c := range g.list {
		if c.hidden {
			hidden += 1 + len(c.more)
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
	if hidden > 0 {
		p.Printf("%s not shown; -v shows all, and all are stored in %s", text.Plural(hidden, "more suspect"), p.Relative(dir))
	}
}
