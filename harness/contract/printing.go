package contract

import (
	"fmt"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// printing lists the methods that other packages call on any value: they return.
func printing(a *api, add func(...Contract)) {
	for _, o := range a.ops {
		if !o.Callback || !o.API || o.Kind != seq.Method || len(o.Params) != 1 || len(o.Results) == 0 || o.Pre.Panics || o.Pre.Blocks {
			continue
		}
		c := a.draft(o, engine.ClaimPromise, blame.CallbackReason).Contract
		c.Name, c.Arity, c.Assert = "returns", 1, func() string { return returning(o.Operation) }
		c.Holds = func(c Caller, v []any) (bool, string) {
			if !blame.IsNil(v[0]) {
				c.Call(o.id, v[0])
			}
			return true, ""
		}
		add(c)
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
	for _, o := range a.ops {
		if o.Kind != seq.Method || o.Base != "Format" || len(o.Params) != 3 || !a.t.Types[o.Params[1]].Is("fmt", "State") || o.Pre.Panics {
			continue
		}
		d := a.draft(o, engine.ClaimPromise, docFormat)
		d.detailf = func(_ Caller, v []any) string { return printsBadly(v[0]) }
		add(d.named("format-returns", "", nil).contract(property.FormatReturns, func(_ Caller, v []any) bool {
			return property.FormatReturns(v[0])
		}, 1, slots[0]))
	}
}

// printsBadly returns the text of a panic by which package fmt failed to print v.
func printsBadly(v any) string {
	for _, format := range strings.Fields("%v %+v %#v %s %q %d %x %8.3f") {
		printed := strings.ReplaceAll(fmt.Sprintf(format, v), panicMark+"foray)", "") // of a function of ours
		if _, said, panicked := strings.Cut(printed, panicMark); panicked {
			return "printed as " + format + ", its Format panics: " + blame.OneLine(said)
		}
	}
	return ""
}
