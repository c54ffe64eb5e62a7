package engine

import (
	"reflect"
	"testing"

	"foray.test/engine/seq"
)

// The calls that extend a state do not depend on the state before.
func TestExtending(t *testing.T) {
	const object, number, function = seq.TypeID(1), seq.TypeID(2), seq.TypeID(3)
	table := func(takes seq.TypeID) *seq.Table {
		return &seq.Table{
			Package: "m.test/p", Name: "p",
			Types: []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{object}}, {Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{number}}, {Name: "func()", Assignable: []seq.TypeID{function}}},
			Ops: []seq.Operation{
				{Name: "New", Kind: seq.Func, Template: "p.New()", Results: []seq.TypeID{object}, API: true},
				{Name: "Do", Kind: seq.Method, Template: "$0.Do($1)", Params: []seq.TypeID{object, takes}, API: true},
				{Name: "func", Kind: seq.FuncLit, Template: "func() {}", Results: []seq.TypeID{function}},
			},
		}
	}
	states := []struct {
		live []liveSlot
		base int32
	}{{nil, 0}, {[]liveSlot{{0, object}}, 1}, {[]liveSlot{{0, object}}, 3}, {[]liveSlot{{0, object}, {2, object}}, 3}, {nil, 1}}
	for name, takes := range map[string]seq.TypeID{"literals": number, "a value that is made": function} {
		tb := table(takes)
		sp := newSpace(tb, NewPool(tb), 2)
		for i, s := range states {
			got, want := sp.extending(s.live, s.base), newSpace(tb, NewPool(tb), 2).calls(nil, s.live, s.base)
			if text := func(list []seq.Sequence) (lines []string) {
				for _, s := range list {
					lines = append(lines, string(seq.AppendBinary(nil, s)))
				}
				return lines
			}; !reflect.DeepEqual(text(got), text(want)) {
				t.Errorf("%s, state %d: %d calls, want %d others", name, i, len(got), len(want))
			}
			if n := len(s.live); len(got) < 1+n {
				t.Errorf("%s, state %d: %d calls with %d objects", name, i, len(got), n)
			}
		}
	}
}
