package contract

import (
	"reflect"

	"foray.test/engine"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// reusedLaws adds the laws that a decoder leaves nothing of its receiver's old value. A new
// value, decoded from the same bytes, shows the same.
func reusedLaws(a *api, add func(...Law)) {
	a.everyMethod("Unmarshal UnmarshalBinary UnmarshalText GobDecode", "[]byte -> ...", func(decode operation) {
		r := roundTrip{zero: a.zero(decode.Params[0])}
		if !decode.ReturnsError || decode.says("merge", "append", "add") || !a.t.Types[decode.Params[0]].IsPointer() {
			return
		}
		law := decode.law("decode-anew", engine.ClaimName, "the decoded value does not depend on the old value of the receiver. "+cite(decode))
		law.Quiet = true
		if naming.Base(decode.Member) == "GobDecode" {
			law.Claim, law.Doc = engine.ClaimPromise, `package encoding/gob, GobDecoder: "GobDecode overwrites the receiver"`
		}
		law.Check = func(c *Call, _ any) *Breach {
			if c.failed() || noEquality(c.Args[0]) {
				return nil
			}
			x, ok := r.zeroed(c)
			if !ok {
				x, ok = r.fresh(c)
			}
			if !ok || reflect.DeepEqual(x.value, c.Args[0]) {
				return nil
			}
			b := check5(c, property.DecodesAnew, c.error(decode), contents(), x, c.in(1), c.in(0))
			if b == nil {
				return nil
			}
			fresh, shown := sprint(reflect.ValueOf(x.value).Elem().Interface())
			used, is := sprint(reflect.ValueOf(c.Args[0]).Elem().Interface())
			if !shown || !is || fresh == used {
				return nil
			}
			return b.says("a receiver that was used before shows " + blame.OneLine(used) + ", a new one " + blame.OneLine(fresh))
		}
		add(law)
	})
}

// contents returns the value that a pointer leads to, as a term.
func contents() term[func(any) any] {
	return given(func(x any) any { return reflect.ValueOf(x).Elem().Interface() }, func(args []string) string { return "*" + args[0] })
}
