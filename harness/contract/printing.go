package contract

import (
	"fmt"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// printing lists the methods that other packages call on any value: they return.
func printing(a *api) []Contract {
	var all []Contract
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if !op.Callback || !op.API || op.Kind != seq.Method || len(op.Params) != 1 || len(op.Results) == 0 || op.Pre.Panics || op.Pre.Blocks {
			continue
		}
		all = append(all, Contract{
			Name: "returns", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc: docAnyValue,
			Holds: func(c Caller, v []any) (bool, string) {
				if !isNil(v[0]) {
					c.Call(id, v[0])
				}
				return true, ""
			},
		})
	}
	return append(all, formatting(a)...)
}

// docFormat says what package fmt does with a Format method that panics.
const docFormat = `package fmt, Format errors: "If an Error or String method triggers a panic when called by a print routine, the fmt package reformats the error message from the panic", that of Format likewise; it must not panic on any value that it is handed`

// formats are how a value with a Format method is printed.
const formats = "%v %+v %#v %s %q %d %x %8.3f"

// panicMark is how package fmt says that a Format method has panicked.
const panicMark = "(PANIC=Format method: "

// formatting lists the Format methods: package fmt calls them, and tells of a panic in
// its output only.
func formatting(a *api) []Contract {
	var all []Contract
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if op.Kind != seq.Method || base(op.Member) != "Format" || len(op.Params) != 3 || a.t.Types[op.Params[1]].Name != "fmt.State" || op.Pre.Panics {
			continue
		}
		all = append(all, Contract{
			Name: "format-returns", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear, Doc: docFormat, Panics: true,
			Assert: block("printed := "+a.t.ImportName("fmt")+`.Sprintf("`+formats+`"`+strings.Repeat(", $0", strings.Count(formats, "%"))+")",
				"return !"+a.t.ImportName("strings")+".Contains(printed, "+strconv.Quote(panicMark)+")"),
			Holds: func(_ Caller, v []any) (bool, string) { return printsWell(v[0]) },
		})
	}
	return all
}

// printsWell reports whether package fmt prints v, and what a panic has said if not.
func printsWell(v any) (ok bool, detail string) {
	for _, format := range strings.Fields(formats) {
		printed := fmt.Sprintf(format, v)
		if _, said, panicked := strings.Cut(printed, panicMark); panicked {
			return false, "printed as " + format + ", its Format panics: " + line(said)
		}
	}
	return true, ""
}
