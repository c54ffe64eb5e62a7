package blame

import (
	"testing"

	"foray.test/engine/seq"
)

func TestParses(t *testing.T) {
	b := testTable()
	b.Add(seq.Func, "Put2(string, any) error")
	b.Add(seq.Func, "Unmarshal2([]byte, any) error")
	b.Add(seq.Func, "Quote(string) string")
	for name, want := range map[string]bool{
		"Parse": true, "Open": true, "UnmarshalText": true, "Put2": false, "Unmarshal2": true, "Quote": false, "New": false, "PutE": false,
	} {
		checkEqual(t, name, parses(&b.Table, &b.Table.Ops[b.Find(name)]), want)
	}
}
