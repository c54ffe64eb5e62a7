package contract

import (
	"errors"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A contract of the tests that reports a failure is an error. One that panics otherwise is doubted on a
// call; on a value it says nothing by a run-time error.
func TestOwn(t *testing.T) {
	for _, tt := range []struct {
		panicked    any
		value, call string // the details on a value and on a call, "" if the contract holds
		tier        engine.Tier
	}{
		{nil, "", "", 0},
		{"empty", "empty", "empty", engine.Error},
		{errors.New("no"), "it panics: no", "it panics: no", engine.Suspect},
		{runtimeError{errors.New("index")}, "", "it panics: index", engine.Suspect},
		{ErrRefused, "it panics: harness: refused", "", 0},
	} {
		b, f := bind(ops("NewPot() *p.T", newPot))
		var checks []seq.OpID
		for _, sig := range []string{"full(*p.T)", "grown(int, *p.T)"} {
			checks = append(checks, b.Add(seq.Check, sig))
			f.ops[checks[len(checks)-1]] = func([]any) any { return idleOr(tt.panicked) }
		}
		f.ops[b.Add(seq.Method, "(*T).Grown() int", func(op *seq.Operation) { op.Ensures = checks[1:] })] = func([]any) any { return 1 }
		list := Bind(&b.Table)
		if len(list) != 1 || !list[0].Own(&b.Table) || list[0].Name != "full" {
			t.Fatalf("contracts %v, want one of the tests", namesOf(list))
		}
		if ok, detail := list[0].Holds(f, values(&pot{})); ok != (tt.value == "") || detail != tt.value {
			t.Errorf("%v: on a value: %v, %q, want %q", tt.panicked, ok, detail, tt.value)
		}
		v, _ := Laws(&b.Table)[0].Hold(f, &b.Table, boxed(b, "NewPot(); Grown(v0)"), false)
		if (v == nil) != (tt.call == "") || v != nil && (v.Tier != tt.tier || v.Message != "contract grown does not hold: "+tt.call) {
			t.Errorf("%v: on a call: %+v, want %q, tier %v", tt.panicked, v, tt.call, tt.tier)
		}
	}
}

// idleOr returns no results, or panics with a value that is not nil.
func idleOr(panicked any) any {
	if panicked != nil {
		panic(panicked)
	}
	return many{}
}

// A runtimeError is a [runtime.Error].
type runtimeError struct{ error }

func (runtimeError) RuntimeError() {}
