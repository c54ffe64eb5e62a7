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
