package contract

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// reusedLaws adds the laws that a decoder leaves nothing of what it decoded before.
func reusedLaws(a *api, add func(...Law)) {
	a.everyMethod("Unmarshal UnmarshalBinary UnmarshalText", "[]byte -> ...", func(decode operation) {
		r := roundTrip{decode: decode, zero: a.zero(decode.Params[0])}
		if !decode.ReturnsError || !a.t.Types[decode.Params[0]].IsPointer() || !r.zero.exists() {
			return
		}
		r.encode, r.pointer = a.encoder(decode.Params[0], "Marshal"+strings.TrimPrefix(decode.Base, "Unmarshal"))
		add(r.decodesOver())
	})
}

// encoder returns the method that encodes values that pointers of type id lead to, if there is one,
// and whether it takes the value itself.
func (a *api) encoder(id seq.TypeID, name string) (encode operation, byValue bool) {
	for _, recv := range a.receivers {
		byValue := recv != id
		if byValue && !a.t.Types[id].Of(seq.PointerType, &a.t.Types[recv]) {
			continue
		}
		if encode := a.methodOf(recv, name, encodeShape); encode.exists() {
			return encode, byValue
		}
	}
	return operation{}, false
}

// decodesOver is the law that data give the same in a value that was decoded before as in a new
// one. The two are encoded alike, or show the same if nothing encodes them. The data before differ
// by one bit: a flag of a header has the decoder leave out a part that others have.
func (r *roundTrip) decodesOver() Law {
	law := r.decode.law("decode-over", engine.ClaimName, "the decoded value does not depend on what was decoded before. "+cite(r.decode)).changing()
	law.Apart, law.Guess = true, true // no interface of the standard library promises it
	return law.checked(func(c *Call) *Breach {
		first, is := c.Args[1].([]byte)
		if c.failed() || !is || len(first) == 0 {
			return nil
		}
		for bit := range min(8*len(first), maxVaried) {
			other := bytes.Clone(first)
			other[bit/8] ^= 0x80 >> (bit % 8)
			given, varied := c.in(1), bytesTerm(other)
			if b := r.over(c, given, varied); b != nil {
				return b
			}
			if b := r.over(c, varied, given); b != nil {
				return b
			}
		}
		return nil
	})
}

// over returns a breach if data give another value after those before than in a new value.
func (r *roundTrip) over(c *Call, before, data term[any]) *Breach {
	x, ok := r.zeroed(c)
	used, also := r.zeroed(c)
	if !ok || !also {
		return nil
	}
	decode := c.error(r.decode)
	if !r.encode.exists() {
		b := check6(c, property.DecodesOver, decode, contents(), x, used, before, data)
		fresh, shown := sprint(reflect.ValueOf(x.value).Elem().Interface())
		again, is := sprint(reflect.ValueOf(used.value).Elem().Interface())
		if !shown || !is || fresh == again || noEquality(x.value, used.value) {
			return nil
		}
		return b.says("decoded after other data it shows " + blame.OneLine(again) + ", a new value " + blame.OneLine(fresh))
	}
	b := check7(c, property.DecodesOverAgain, decode, r.encodes(c), r.valueOf("(*x)"), x, used, before, data)
	if b == nil {
		return nil
	}
	fresh, ok := r.again(c, r.decoded(x.value))
	again, _ := r.again(c, r.decoded(used.value))
	if !ok || !r.repeats(c, r.decoded(x.value), fresh) || !r.repeats(c, r.decoded(used.value), again) {
		return nil
	}
	return b.says("decoded after other data it is encoded as " + strconv.Quote(string(again)) + ", a new value as " + strconv.Quote(string(fresh)))
}

// maxVaried bounds the bits that are varied, the first ones, where headers have their flags: each
// costs eight calls.
const maxVaried = 48

// bytesTerm returns bytes as a term with a text of its own.
func bytesTerm(data []byte) term[any] {
	return literal[any](data, "[]byte("+strings.ReplaceAll(strconv.Quote(string(data)), "$", `\x24`)+")")
}

// contents returns the value that a pointer leads to, as a term.
func contents() term[func(any) any] {
	return given(func(x any) any { return reflect.ValueOf(x).Elem().Interface() }, func(args []string) string { return "*" + args[0] })
}
