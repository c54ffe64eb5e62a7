package engine

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestSettle(t *testing.T) {
	illegal, suspect, sure := Ruling{Illegal, "nil", "n"}, Ruling{Suspect, "index", "i"}, Ruling{Error, "other", "o"}
	doubt := Ruling{Suspect, "length", "l"}
	for _, tt := range []struct{ r, doubt, want Ruling }{
		{illegal, Ruling{}, illegal},
		{illegal, doubt, illegal},
		{suspect, doubt, suspect},
		{sure, Ruling{}, sure},
		{sure, doubt, doubt},
		{sure, Ruling{Suspect, "", "; o"}, sure},
		{Ruling{Error, "fuzz function", ""}, Ruling{}, Ruling{Error, "fuzz function", ""}},
		{Ruling{Panic, "other", "o"}, doubt, doubt},
	} {
		v := Verdict{Tier: Suspect, Rule: "before", Reason: "b"}
		if got := v.Settle(tt.r, tt.doubt).Ruling(); got != tt.want {
			t.Errorf("%v, doubt %v: settled by %v, want %v", tt.r, tt.doubt, got, tt.want)
		}
	}
}

// The claim bounds the tier, whatever the rule says of the excuse.
func TestClaimBoundsTier(t *testing.T) {
	for _, tt := range []struct {
		claim Claim
		tier  Tier
		want  Tier
	}{
		{ClaimPromise, Error, Error},
		{ClaimHang, Error, Error},
		{ClaimRefusal, Error, Error},
		{ClaimKept, Error, Error},
		{ClaimOwn, Error, Error},
		{ClaimCrash, Error, Panic},
		{ClaimCrash, Suspect, Suspect},
		{ClaimName, Error, Suspect},
		{ClaimName, Illegal, Illegal},
	} {
		v := Verdict{Claim: tt.claim}
		if got := v.Settle(Ruling{Tier: tt.tier, Rule: "r"}, Ruling{}).Tier; got != tt.want {
			t.Errorf("claim %s, rule says %v: tier %v, want %v", tt.claim, tt.tier, got, tt.want)
		}
	}
}

// A finding is new until its signature is known for its tier or a higher one.
func TestIsNew(t *testing.T) {
	sig := ParseSignature("panic:index:F")
	of := func(tier Tier) *Verdict { return &Verdict{Tier: tier, Signature: sig} }
	for _, first := range []Tier{Suspect, Panic, Error} {
		known := of(first).DedupKey()
		for _, next := range []Tier{Suspect, Panic, Error} {
			if got := of(next).IsNew(func(key string) bool { return key == known }); got != (next > first) {
				t.Errorf("%v after %v: new: %v", next, first, got)
			}
		}
	}
	if of(Error).DedupKey() != sig.String() {
		t.Errorf("the key of an error is %q, want its signature, which lists of known findings have", of(Error).DedupKey())
	}
}

func TestParseTier(t *testing.T) {
	for tier := Illegal; tier < Tiers; tier++ {
		if got, ok := ParseTier(tier.String()); !ok || got != tier {
			t.Errorf("%v is read as %v, %v", tier, got, ok)
		}
	}
	if _, ok := ParseTier("fatal"); ok {
		t.Error("fatal is no tier")
	}
}

// Refusals are one by operation and rule, whatever the sentences.
func TestRefusals(t *testing.T) {
	l := Refusals{}
	for _, r := range []Refusal{{2, "nil", "an argument is nil", 1}, {1, "zero", "z", 2}, {2, "nil", "nil was given", 4}, {2, "must", "m", 1}} {
		l.Add(r)
	}
	want := []Refusal{{seq.OpID(1), "zero", "z", 2}, {2, "must", "m", 1}, {2, "nil", "an argument is nil", 5}}
	if got := l.List(); !reflect.DeepEqual(got, want) {
		t.Errorf("refusals %v, want %v", got, want)
	}
}

// A verdict of a fresh process inherits the tier that the run had given, unless there is a doubt,
// or its data are less plain than those of which the package keeps the property.
func TestInherit(t *testing.T) {
	learned := Verdict{Claim: ClaimKept, Tier: Error, Rule: "inverse", Reason: "it undoes", Evidence: "in 399 of 400 contexts", Plain: Plain}
	for _, tt := range []struct {
		name  string
		rule  string
		plain Plainness
		want  Tier
	}{
		{"as plain", "inverse", Plain, Error},
		{"plainer", "inverse", Words, Error},
		{"strange", "inverse", Strange, Suspect},
		{"doubted", "duty", Words, Suspect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := Verdict{Claim: ClaimName, Tier: Suspect, Rule: tt.rule, Plain: tt.plain}
			if v.Inherit(&learned); v.Tier != tt.want || v.Evidence != learned.Evidence {
				t.Errorf("tier %s with evidence %q, want %s", v.Tier, v.Evidence, tt.want)
			}
		})
	}
}

// Of the panics of one statement and caller whose texts differ, some are reported; others of the same
// function, tier or site are none of them, nor are panics without a text.
func TestWordings(t *testing.T) {
	const site = "p.f\n\t/p.go:1\np.F\n\t/p.go:2\n"
	e, x, sink := newFakeEngine(t, 1, Params{})
	s, err := x.table.Parse("v0 := bag.New(); v0.Put(1)")
	if err != nil {
		t.Fatal(err)
	}
	reported := func(tier Tier, signature, stack string) bool {
		before := len(sink.findings)
		e.keeper.takeVerdict(Verdict{Claim: ClaimRefusal, Tier: tier, Kind: KindPanic, Signature: ParseSignature(signature), Stack: stack}, s, 0)
		return len(sink.findings) > before
	}
	for i, tt := range []struct {
		tier             Tier
		signature, stack string
		want             bool
	}{
		{Suspect, "panic:explicit:bad a:F", site + "p.G\n", true},
		{Suspect, "panic:explicit:bad a:F", site, false}, // known
		{Suspect, "panic:explicit:bad b:F", site + "p.H\n", true},
		{Suspect, "panic:explicit:bad c:F", site, true},
		{Suspect, "panic:explicit:bad d:F", site, false},
		{Error, "panic:explicit:bad d:F", site, true},
		{Suspect, "panic:explicit:bad e:G", site, true},
		{Suspect, "panic:explicit:bad f:F", "p.f\n\t/p.go:9\np.F\n\t/p.go:2\n", true},
		{Suspect, "panic:explicit:bad g:F", "", true},
		{Suspect, "panic:index:F", site, true},
	} {
		if got := reported(tt.tier, tt.signature, tt.stack); got != tt.want {
			t.Errorf("%d: %v %s: reported %v", i, tt.tier, tt.signature, got)
		}
	}
}

// TestClaimsAreDocumented: the table of claims in docs/findings.md has the claims of this
// package and no other.
func TestClaimsAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("verdict.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(docs), "\n| Claim |")
	table, _, _ = strings.Cut(table, "\n\n")
	names := func(text, pattern string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	got, want := names(table, "\n\\| `(\\w+)` \\|"), names(string(code), `\bClaim = "(\w+)"`)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("docs/findings.md has the claims %q, verdict.go %q", got, want)
	}
}
