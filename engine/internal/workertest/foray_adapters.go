package workertest

import (
	"reflect"

	"foray.test/coverage/probe"
	"foray.test/engine/internal/planted"
	"foray.test/engine/seq"
	"foray.test/harness/executor"
)

// This file is named like a generated one, so that its frames are no part of the
// stacks that findings show.

// behaviours are the methods of a box that take nothing else.
var behaviours = []struct {
	name   string
	number bool // it returns an int
	call   func(*planted.Box) int
}{
	{"Count", true, (*planted.Box).Count},
	{"Break", false, quiet((*planted.Box).Break)},
	{"Crash", true, (*planted.Box).Crash},
	{"Leave", false, quiet((*planted.Box).Leave)},
	{"Vanish", false, quiet((*planted.Box).Vanish)},
	{"Spin", false, quiet((*planted.Box).Spin)},
	{"Block", false, quiet((*planted.Box).Block)},
	{"Mark", false, quiet((*planted.Box).Mark)},
	{"Use", false, quiet((*planted.Box).Use)},
	{"MarkAll", false, quiet((*planted.Box).MarkAll)},
	{"UseAll", false, quiet((*planted.Box).UseAll)},
	{"Recurse", true, (*planted.Box).Recurse},
	{"Race", false, quiet((*planted.Box).Race)},
	{"Unwind", false, quiet((*planted.Box).Unwind)},
	{"Grab", true, (*planted.Box).Grab},
	{"Grow", false, quiet((*planted.Box).Grow)},
	{"Launch", false, quiet((*planted.Box).Launch)},
	{"Later", false, quiet((*planted.Box).Later)},
	{"Babble", false, quiet((*planted.Box).Babble)},
	{"Read", true, (*planted.Box).Read},
	{"Leak", false, quiet((*planted.Box).Leak)},
	{"Shut", false, quiet((*planted.Box).Shut)},
	{"Scribble", false, quiet((*planted.Box).Scribble)},
	{"Spawn", false, quiet((*planted.Box).Spawn)},
	{"Sometimes", false, quiet((*planted.Box).Sometimes)},
	{"Freeze", false, quiet((*planted.Box).Freeze)},
}

func quiet(f func(*planted.Box)) func(*planted.Box) int {
	return func(b *planted.Box) int { f(b); return 0 }
}

// bindings returns what a generated adapters file would, for the operations that
// the table names.
func bindings(t *seq.Table) executor.Bindings {
	b := executor.Bindings{Ops: make([]executor.Adapter, len(t.Ops)), Types: make([]reflect.Type, len(t.Types))}
	b.Types[TypeBox], b.Types[typeInt] = reflect.TypeFor[*planted.Box](), reflect.TypeFor[int]()
	for i, op := range t.Ops {
		// A branch side for each operation, and one for each number put.
		side := 2 * i
		switch op.Name {
		case "New":
			b.Ops[i] = func(in, out []any) { probe.Hit(side); out[0] = planted.New() }
		case "Put":
			b.Ops[i] = func(in, out []any) {
				v := in[1].(int)
				probe.Hit(side)
				if v > 0 && v < 64 {
					probe.Hit(100 + v)
				}
				in[0].(*planted.Box).Put(v)
			}
		case "Get":
			b.Ops[i] = func(in, out []any) { probe.Hit(side); out[0] = in[0].(*planted.Box).Get() }
		}
		if op.Name == "String" {
			b.Types[typeString] = reflect.TypeFor[string]()
			b.Ops[i] = func(in, out []any) { out[0] = in[0].(*planted.Box).String() }
		}
		for _, m := range behaviours {
			if m.name != op.Name {
				continue
			}
			b.Ops[i] = func(in, out []any) {
				probe.Hit(side)
				n := m.call(in[0].(*planted.Box))
				if m.number {
					out[0] = n
				}
			}
		}
	}
	return b
}
