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
		{"Encode writes the text that Decode reads. Spaces at the end are trimmed.", true, true},
		{"Encode writes the text that Decode reads, unless it is short.", false, true},
		{`Encode: "Encode skips text, if it is short"; Decode: "Decode returns text"`, true, true},
		{"Encode returns text that Decode reads. It returns nil if there is none.", true, false},
	} {
		if states, excepts := States(tt.doc, about), Excepts(tt.doc); states != tt.states || excepts != tt.excepts {
			t.Errorf("%q states it: %v, want %v; excepts: %v, want %v", tt.doc, states, tt.states, excepts, tt.excepts)
		}
	}
}
