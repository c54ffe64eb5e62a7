package contract

import (
	"fmt"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

// printing lists the methods that other packages call on any value: they return.
func printing(a *api, add func(...Contract)) {
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if !op.Callback || !op.API || op.Kind != seq.Method || len(op.Params) != 1 || len(op.Results) == 0 || op.Pre.Panics || op.Pre.Blocks {
			continue
		}
		add(Contract{
			Name: "returns", Arity: 1, Claim: engine.ClaimPromise, Type: op.Params[0], Op: id, Cost: Linear,
			Doc: docAnyValue, Assert: returning(op),
			Holds: func(c Caller, v []any) (bool, string) {
				if !isNil(v[0]) {
					c.Call(id, v[0])
				}
				return true, ""
			},
		})
	}
	formatting(a, add)
}

// returning is an expression that makes the call of a method, and is true.
func returning(op *seq.Operation) string {
	blanks := strings.Repeat(", _", len(op.Results))[len(", "):]
	return "func() bool {\n\t" + blanks + " = " + op.Template + "\n\treturn true\n}()"
}

// docFormat quotes package fmt on a Format method that panics.
const docFormat = `package fmt, Format errors: "If an Error or String method triggers a panic when called by a print routine, the fmt package reformats the error message from the panic", that of Format likewise; it must not panic on any value that it is handed`

// panicMark is the text by which package fmt reports a panic of a Format method.
const panicMark = "(PANIC=Format method: "

// formatting adds the contracts of Format methods. Package fmt calls them, and
// reports a panic in its output only.
func formatting(a *api, add func(...Contract)) {
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if op.Kind != seq.Method || base(op.Member) != "Format" || len(op.Params) != 3 || a.t.Types[op.Params[1]].Name != "fmt.State" || op.Pre.Panics {
			continue
		}
		d := a.draft(operation{op, id}, engine.ClaimPromise, docFormat)
		d.detailf = func(_ Caller, v []any) string { return printsBadly(v[0]) }
		add(d.named("format-returns", "", nil).contract(property.FormatReturns, func(_ Caller, v []any) bool {
			return property.FormatReturns(v[0])
		}, 1, slots[0]))
	}
}

// printsBadly returns the text of a panic by which package fmt failed to print v.
func printsBadly(v any) string {
	for _, format := range strings.Fields("%v %+v %#v %s %q %d %x %8.3f") {
		if _, said, panicked := strings.Cut(fmt.Sprintf(format, v), panicMark); panicked {
			return "printed as " + format + ", its Format panics: " + line(said)
		}
	}
	return ""
}
