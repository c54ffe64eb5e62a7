package naming

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for in, want := range map[string][]string{
		"RemoveAt":    {"remove", "at"},
		"RLock":       {"r", "lock", "rlock"},
		"MarshalJSON": {"marshal", "json"},
		"JSONParse":   {"json", "parse"},
		"Get2":        {"get"},
		"set_item":    {"set", "item"},
		"DebugInfo":   {"debug", "info"},
		"":            nil,
	} {
		if got := Words(in); !slices.Equal(got, want) {
			t.Errorf("words of %q: %q, want %q", in, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{"the form that ParseT reads": true, "see ParseT.": true, "see ParseTree": false, "": false} {
		if got := Mentions(text, "ParseT"); got != want {
			t.Errorf("%q mentions ParseT: %v, want %v", text, got, want)
		}
	}
}

// Some sentences promise a thing, others are about its exceptions.
func TestExceptions(t *testing.T) {
	about := func(sentence string) bool { return Mentions(sentence, "Decode") }
	for _, tt := range []struct {
		doc             string
		states, excepts bool
	}{
		{"Encode writes the form that Decode reads.", true, false},
		{"Encode writes text. Decode reads it.", true, false},
		{"Encode writes text.", false, false},
		{"Encode writes text that Decode cannot read.", false, false},
		{"Encode writes text. Decode doesn't read it.", false, false},
		{"Encode returns the text that Decode reads, but for spaces.", false, false},
		{"Encode writes the text that Decode reads. Spaces at the end are ignored.", true, true},
		{"Encode writes the text that Decode reads, unless it is short.", false, true},
		{`Encode: "Encode skips text, if it is short"; Decode: "Decode returns text"`, true, true},
		{"Encode returns text that Decode reads. It returns nil if there is none.", true, false},
	} {
		if states, excepts := States(tt.doc, about), Excepts(tt.doc); states != tt.states || excepts != tt.excepts {
			t.Errorf("%q states it: %v, want %v; excepts: %v, want %v", tt.doc, states, tt.states, excepts, tt.excepts)
		}
	}
}

// TestDuties: how strongly a sentence asks something of the caller.
func TestDuties(t *testing.T) {
	for _, tt := range []struct {
		sentence               string
		duty, leaves, vouching bool
	}{
		{"n must be even.", true, true, false},
		{"Callers must pass even n.", true, true, true},
		{"The caller is responsible for the length.", true, true, true},
		{"Callers should use G.", true, false, true},
		{"It is an error to call it twice.", true, false, false},
		{"n must be even, or it panics.", true, false, false},
		{"It is responsible for the file.", false, true, true},
		{"It returns n.", false, false, false},
	} {
		if IsDuty(tt.sentence) != tt.duty || LeavesDuty(tt.sentence) != tt.leaves || Vouches(tt.sentence) != tt.vouching {
			t.Errorf("%q: %v, %v, %v; want %v", tt.sentence, IsDuty(tt.sentence), LeavesDuty(tt.sentence), Vouches(tt.sentence), tt)
		}
	}
}

// TestAccusesItself: texts of panics that are bugs of their package, and those that may be.
func TestAccusesItself(t *testing.T) {
	for _, tt := range []struct {
		text    string
		is, may bool
	}{
		{"unreachable", true, true},
		{"this should never happen", true, true},
		{"Bug", true, true},
		{"BUG: no node", true, true},
		{"debug: no node", false, false},
		{"corrupt table", false, true},
		{"internal buffer", false, true},
		{"n is negative", false, false},
	} {
		if AccusesItself(tt.text) != tt.is || MayAccuseItself(tt.text) != tt.may {
			t.Errorf("%q accuses: %v, may: %v; want %v, %v", tt.text, AccusesItself(tt.text), MayAccuseItself(tt.text), tt.is, tt.may)
		}
	}
}
