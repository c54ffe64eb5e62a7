package contract

import (
	"testing"

	"foray.test/engine/seq"
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
		equalStrings(t, in, words(in), want)
	}
}

func TestParses(t *testing.T) {
	b := testTable()
	b.op(seq.Func, "Put2(string, any) error")
	b.op(seq.Func, "Unmarshal2([]byte, any) error")
	b.op(seq.Func, "Quote(string) string")
	for name, want := range map[string]bool{
		"Parse": true, "Open": true, "UnmarshalText": true, "Put2": false, "Unmarshal2": true, "Quote": false, "New": false, "PutE": false,
	} {
		equalStrings(t, name, parses(&b.t, &b.t.Ops[b.find(t, name)]), want)
	}
}
