package contract

import (
	"errors"
	"fmt"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

type outcome struct {
	N     int
	Error error
}

type shy struct{ err error }

func TestKeptError(t *testing.T) {
	no := errors.New("no")
	for _, tt := range []struct {
		name string
		v    any
		want bool
	}{
		{"none", outcome{N: 1}, false},
		{"one", outcome{Error: no}, true},
		{"behind a pointer", &outcome{Error: no}, true},
		{"nil pointer", (*outcome)(nil), false},
		{"hidden", &shy{no}, false},
		{"an error itself", no, false},
		{"nil", nil, false},
	} {
		if got := keptError(tt.v); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	b := testTable()
	if got := new(Tainter).Taints(&b.t, b.steps(t, "New(1); Child(v0)"), []any{&outcome{}, &outcome{Error: no}}); got[0] != 0 || got[1] != TaintFailed {
		t.Errorf("taints %v, want that of a failed call for the second", got)
	}
}

// What a call was given must not be used after it, if its documentation says so.
func TestUsedAfterEnd(t *testing.T) {
	b := testTable()
	end := func(sig, doc string, kind seq.Kind) {
		b.op(kind, sig, func(op *seq.Operation) { op.Doc = doc })
	}
	end("PutBack(*p.T)", "PutBack keeps t for others. It mustn't be touched after it was put back.", seq.Func)
	end("(*T).Finish()", "Finish ends it. A T can not be used after it.", seq.Method)
	end("(*T).Hand(*p.T)", "The buffer should not be accessed after the call.", seq.Method)
	end("(*T).Free()", "Free gives its memory back. It is invalid to use a T after it was freed.", seq.Method)
	end("Recycle(*p.T)", "Recycle returns a value to the value pool.", seq.Func)
	end("Lend(*p.T)", "Lend lends t, which may be used after it.", seq.Func)
	for steps, want := range map[string]bool{
		"New(1); PutBack(v0)":                         false,
		"New(1); PutBack(v0); New(1); Do(v1)":         false,
		"New(1); PutBack(v0); PutBack(v0)":            true,
		"New(1); Finish(v0); Do(v0)":                  true,
		"New(1); New(2); Hand(v0, v1); Do(v0)":        false,
		"New(1); New(2); Hand(v0, v1); Do(v1)":        true,
		"New(1); Free(v0); Do(v0)":                    true,
		"New(1); Recycle(v0); Do(v0)":                 true,
		"New(1); Lend(v0); Do(v0)":                    false,
		"New(1); PutBack(v0); PutBack(v0); New(1)":    true,
		"New(1); New(2); PutBack(v0); Do(v1); New(3)": false,
	} {
		s := b.steps(t, steps)
		if got := newHistory(&b.t, s, nil, len(s)).vars; got != want {
			t.Errorf("%s: %v, want %v", steps, got, want)
		}
		if got := newHistory(&b.t, s, nil, len(s)-1).doubt().Rule == "variable set"; got != newHistory(&b.t, s, nil, len(s)-1).vars {
			t.Errorf("%s: a doubt is %v, want %v", steps, got, want)
		}
	}
}

// A value of what nobody checked may be none that its package accepts.
func TestUncheckedContract(t *testing.T) {
	b := testTable()
	b.op(seq.Func, "ParseT(string) (*p.T, error)")
	b.op(seq.Func, "Named(string) *p.T")
	b.op(seq.Method, "(*T).Tagged(string) *p.T")
	b.op(seq.Func, "NamedPart(string) *p.Part")
	for _, tt := range []struct {
		claim engine.Claim
		steps string
		want  string
	}{
		{engine.ClaimPromise, `Named("x")`, "unchecked"},
		{engine.ClaimPromise, `ParseT("x")`, "c"},
		{engine.ClaimPromise, `ParseT("x"); Tagged(v0, "y"); Child(v2)`, "c"},
		{engine.ClaimPromise, `NamedPart("x")`, "c"},
		{engine.ClaimOwn, `Named("x")`, "c"},
	} {
		c := Contract{Name: "c", Claim: tt.claim, Arity: 1, Op: b.find(t, "Do"), Type: b.typ("*p.T")}
		if v := c.Verdict(&b.t, b.steps(t, tt.steps), []int32{0}, ""); v.Rule != tt.want {
			t.Errorf("%s: rule %q, want %q", tt.steps, v.Rule, tt.want)
		}
	}
	c := Contract{Name: "c", Claim: engine.ClaimPromise, Arity: 1, Op: b.find(t, "Do"), Type: b.typ("*p.T")}
	if v := c.Verdict(&b.t, b.steps(t, `ParseT("x"); Tagged(v0, "y"); Child(v2)`), []int32{3}, ""); v.Rule != "unchecked" {
		t.Errorf("a part of what nobody checked: rule %q", v.Rule)
	}
}

// Two values that were made with different functions need not compare as one would.
func TestDifferentFunctions(t *testing.T) {
	b := testTable()
	for steps, want := range map[string]bool{
		"less(); NewBy(v0); NewBy(v0)":         false,
		"less(); less(); NewBy(v0); NewBy(v1)": false,
		"less(); even(); NewBy(v0); NewBy(v1)": true,
		"minus(1); minus(2)":                   true,
		"minus(1); minus(1)":                   false,
		"less(); minus(1)":                     false,
	} {
		s := b.steps(t, steps)
		if got := differ(&b.t, s); got != want {
			t.Errorf("%s: %v, want %v", steps, got, want)
		}
		slot := int32(s.Slots(&b.t) - 1)
		c := Contract{Name: "equal-symmetric", Claim: engine.ClaimPromise, Arity: 1, Op: b.find(t, "Do"), Type: b.typ("*p.T")}
		if v := c.Verdict(&b.t, s, []int32{slot}, ""); (v.Rule == "functions" || v.Rule == "disorder") != want {
			t.Errorf("%s: rule %q", steps, v.Rule)
		}
	}
}

// A function that was given one slice in two places may have broken what it made.
func TestGivenTwice(t *testing.T) {
	b := testTable()
	c := Contract{Name: "sort-swap", Claim: engine.ClaimPromise}
	for steps, want := range map[string]bool{
		"Ints(); Ranked(v0, v0)":           true,
		"Ints(); Ranked(v0, v0); Wrap(v1)": true,
		"Ints(); Ints(); Ranked(v0, v1)":   false,
		"New(1); Pair(v0, v0)":             false,
		"Ints(); Ranked(v0, v0); New(1)":   false,
	} {
		s := b.steps(t, steps)
		v := c.Verdict(&b.t, s, []int32{int32(s.Slots(&b.t) - 1)}, "")
		if got := v.Rule == "given twice"; got != want {
			t.Errorf("%s: tier %v by rule %q, want given twice: %v", steps, v.Tier, v.Rule, want)
		}
		law := &Call{Table: &b.t, Steps: append(s, b.steps(t, steps+"; Do(v"+fmt.Sprint(s.Slots(&b.t)-1)+")")[len(s):]...)}
		if got := law.doubt(&Law{}, &Breach{}).Rule == "given twice"; got != want {
			t.Errorf("%s, of a law: %v, want %v", steps, got, want)
		}
	}
}

// A capacity below zero is the caller's doing, if an object was made of a negative number.
func TestCapacityOfNegative(t *testing.T) {
	b := testTable()
	c := Contract{Name: "cap-at-least-len", Claim: engine.ClaimPromise}
	for steps, want := range map[string]engine.Tier{"New(-1)": engine.Suspect, "New(1)": engine.Error} {
		if v := c.Verdict(&b.t, b.steps(t, steps), []int32{0}, ""); v.Tier != want {
			t.Errorf("%s: tier %v by rule %q, want %v", steps, v.Tier, v.Rule, want)
		}
	}
}
