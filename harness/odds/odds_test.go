package odds

import (
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
)

func TestFeatures(t *testing.T) {
	for _, tt := range []struct{ calls, want string }{
		{`v0, v0b := p.Parse("machine")`, "takes text"},
		{`v0, v0b := p.Parse("a")`, "takes text, short text"},
		{`v0, v0b := p.Parse("ab")`, "takes text"},
		{`v0 := []byte("\x00\x00"); v1, v1b := p.Decode(v0)`, ""},
		{`v0 := p.New(); v1 := v0.Len()`, "no text"},
		{`v0 := p.New(); v1 := v0.Init(); v1.Add(v0); v2 := v1.Len()`, "no text, several calls"},
		{`v0 := p.New(nil)`, "no text, nil"},
		{`v0 := p.New(-1)`, "no text, negative number"},
		{`v0 := func(a, b int) bool { return a < b }; v1 := p.New(v0)`, "no text"},
		{`v0 := func(x p.T) *p.T { return &x }(p.T(-3)); v1 := v0.Len()`, "no text, negative number"},
		{`v0 := func() context.Context { c, cancel := context.WithCancel(context.Background()); cancel(); return c }(); v1 := p.Run(v0)`, "no text"},
		{`v0 := p.T{}; v1 := v0.Len()`, "no text"},
		{`v0 := new(p.T)`, "no text"},
		{"v0 := &struct { A int `json:\"name\"` }{A: -1}; v1 := p.Encode(v0)", "no text, negative number"},
		{`v0 := &p.T{}; v1 := v0.Len()`, "no text"},
		{`v0 := &p.T{F: nil}; v1 := v0.Len()`, "no text, nil"},
		{`v0 := []int{}; v1 := p.Sum(v0)`, "no text"},
		{`v0 := p.Level(6).String()`, "no text, converted number"},
		{`v0 := p.Show(p.Level(-6))`, "no text, negative number, converted number"},
		{`v0 := p.New(6)`, "no text"},
		{`v0 := p.New(); v1 := v0.Get(v0.Len(3))`, "no text"},
		{`v0 := p.Standard; v1 := v0.Len()`, "no text, variable"},
		{`v0 := p.New(); v1 := v0.Field`, "no text"},
		{`v0, v0b := p.Parse("a; v1 := p.New(nil)")`, "takes text"},
		{"v0 := p.New()\nv1 := v0.Len()", "no text"},
		{`v0 := p.New(`, ""},
	} {
		got := Features(Finding{Claim: engine.ClaimHang, Near: "alike", Calls: tt.calls})
		if want := append([]string{Bias, "claim hang", "tests alike"}, strings.FieldsFunc(tt.want, func(r rune) bool { return r == ',' })...); !slices.EqualFunc(got, want, func(a, b string) bool { return a == strings.TrimSpace(b) }) {
			t.Errorf("%s: %q, want %q", tt.calls, got, want)
		}
	}
}

// A crash without a text is told from other findings without one.
func TestBareCrash(t *testing.T) {
	for calls, want := range map[string]bool{"v0 := p.New(3)": true, `v0 := p.New("three")`: false} {
		if got := slices.Contains(Features(Finding{Claim: engine.ClaimCrash, Calls: calls}), BareCrash); got != want {
			t.Errorf("%s: %t, want %t", calls, got, want)
		}
	}
	if slices.Contains(Features(Finding{Claim: engine.ClaimPromise, Calls: "v0 := p.New(3)"}), BareCrash) {
		t.Error("a promise is taken for a crash")
	}
}

// An index out of range is told apart where bad input is reported by an error.
func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		claim engine.Claim
		at    string
		want  bool
	}{
		{engine.ClaimRefusal, "panic:index:parse", true},
		{engine.ClaimRefusal, "panic:slice:Parse", true},
		{engine.ClaimRefusal, "panic:nil:parse", false},
		{engine.ClaimCrash, "panic:index:parse", false},
		{engine.ClaimHang, "hang:busy:parse", false},
	} {
		if got := slices.Contains(Features(Finding{Claim: tt.claim, At: engine.ParseSignature(tt.at)}), Bounds); got != tt.want {
			t.Errorf("%s %s: %t, want %t", tt.claim, tt.at, got, tt.want)
		}
	}
}

func TestInside(t *testing.T) {
	for text, want := range map[string]bool{
		"panic:index:parse":                 true,
		"panic:slice:(*Decoder).next":       true,
		"panic:nil:(*list[...]).Len":        false,
		"panic:nil:(*List).find[...]":       true,
		"panic:index:Parse.func1":           false,
		"panic:index:(*T).scan.func2.1":     true,
		"panic:nil:(*T).run.gowrap1":        true,
		"panic:index:Parse":                 false,
		"panic:explicit:no such type:check": false,
		"hang:busy:scan":                    false,
		"contract:put-get:put":              false,
		"panic:index:":                      false,
	} {
		if got := slices.Contains(Features(Finding{At: engine.ParseSignature(text)}), Inside); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// A parser that panics of a text like those of its tests is likelier a bug than a crash that is given nil.
func TestOf(t *testing.T) {
	parser := Of(Finding{Claim: engine.ClaimRefusal, Calls: `v0, v0b := p.Parse("machine")`, Near: "alike"})
	crash := Of(Finding{Claim: engine.ClaimCrash, Calls: `v0 := p.New(nil)`, Near: "uncalled"})
	if parser < Likely || parser >= 1 || crash >= Likely || crash <= 0 {
		t.Errorf("probabilities %.2f of a parser and %.2f of a crash, want them on both sides of %.2f", parser, crash, Likely)
	}
}

func FuzzFeatures(f *testing.F) {
	f.Add("v0 := p.New(3)")
	f.Add("}\nvar x = func() {")
	f.Fuzz(func(t *testing.T, calls string) {
		if p := Of(Finding{Claim: engine.ClaimHang, Calls: calls}); p <= 0 || p >= 1 {
			t.Errorf("probability %v", p)
		}
	})
}
