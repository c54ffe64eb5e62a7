package engine

import (
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestJoin(t *testing.T) {
	table := fakeTable()
	// inOrder holds of a sequence that has all of some calls, in this order.
	inOrder := func(calls ...string) func(seq.Sequence) bool {
		return func(s seq.Sequence) bool {
			text := table.OneLine(s)
			for _, call := range calls {
				i := strings.Index(text, call)
				if i < 0 {
					return false
				}
				text = text[i+len(call):]
			}
			return true
		}
	}
	for _, test := range []struct {
		name, a, b string
		keep       func(seq.Sequence) bool
		want       string // nothing if they are not to be joined
	}{
		{
			"one value for two",
			"v0 := bag.New(); v0.Put(1)", "v0 := bag.New(); v1 := v0.Get()",
			inOrder("Put(1)", "Get()"),
			"v0 := bag.New(); v0.Put(1); v1 := v0.Get()",
		}, {
			"what the second has of the first goes",
			"v0 := bag.New(); v0.Put(1); v0.Put(2)", "v0 := bag.New(); v0.Put(1); v1 := v0.Get()",
			inOrder("Put(1)", "Put(2)", "Get()"),
			"v0 := bag.New(); v0.Put(1); v0.Put(2); v1 := v0.Get()",
		}, {
			"another value is needed",
			"v0 := bag.New(); v0.Put(1)", "v0 := bag.New(); v0.Put(2); v1 := v0.Get()",
			inOrder("v0 := bag.New()", "v0.Put(1)", "v1 := bag.New()", "v1.Put(2)", "v1.Get()"),
			"",
		}, {
			"both do not keep what each does",
			"v0 := bag.New(); v0.Put(1)", "v0 := bag.New(); v0.Put(2)",
			func(s seq.Sequence) bool { return len(s) < 3 },
			"",
		},
	} {
		a, b := parseFake(t, table, test.a), parseFake(t, table, test.b)
		s, ok := Join(table, a, b, test.keep)
		if !ok {
			if test.want != "" {
				t.Errorf("%s: not joined, want %q", test.name, test.want)
			}
			continue
		}
		if err := s.Check(table); err != nil || !test.keep(s) {
			t.Errorf("%s: %q: %v, or it does not keep", test.name, table.OneLine(s), err)
		}
		if got := table.OneLine(s); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
