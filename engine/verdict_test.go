package engine

import (
	"reflect"
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
	} {
		v := Verdict{Tier: Suspect, Rule: "before", Reason: "b"}
		if got := v.Settle(tt.r, tt.doubt).Ruling(); got != tt.want {
			t.Errorf("%v, doubt %v: settled by %v, want %v", tt.r, tt.doubt, got, tt.want)
		}
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
