package contract

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// decodedLaws adds the laws that data which were decoded make the round trip: the value is
// encoded, decoded and encoded again. Others are that nothing is left of what was decoded before. They
// look at zero values of the type, into which its users decode, not at the receiver of the call.
func decodedLaws(a *api, add func(...Law)) {
	for _, recv := range a.receivers {
		zero := a.zero(recv)
		if !zero.exists() || !a.t.Types[recv].IsPointer() {
			continue
		}
		for _, decode := range a.methods[recv] {
			if !callable(decode.Operation) || !decode.ReturnsError || !a.fits(decode.Operation, "[]byte -> ...") {
				continue
			}
			r := a.decodedTrip(zero, decode)
			if r.encode.exists() {
				add(r.encodesAgain())
			}
			if naming.OneOf("Unmarshal UnmarshalBinary UnmarshalText", decode.Base) {
				add(r.decodesOver())
			}
		}
	}
}

// decodedTrip returns the round trip of a method that decodes and the one that undoes it, if there
// is one.
func (a *api) decodedTrip(zero, decode operation) *roundTrip {
	to, r := decode.Params[0], &roundTrip{encoding: &encoding{}, decode: decode, zero: zero}
	for _, from := range a.receivers {
		if from != to && !a.t.Types[to].Of(seq.PointerType, &a.t.Types[from]) {
			continue
		}
		for _, encode := range a.methods[from] {
			if !callable(encode.Operation) || !a.fits(encode.Operation, encodeShape) && !a.fits(encode.Operation, "-> []byte") ||
				!undoes(encode.Base, decode.Base) {
				continue
			}
			r.encode, r.pointer = encode, from != to
			if i := slices.IndexFunc(encodings, func(e encoding) bool { return e.decode == decode.Base }); i >= 0 {
				r.encoding = &encodings[i]
			}
			return r
		}
	}
	return r
}

// encodesAgain is the law that a decoded value is encoded as data that can be decoded, and
// that the value of those is encoded as the same.
func (r *roundTrip) encodesAgain() Law {
	law := r.decode.law("decode-encode", engine.ClaimName, "a decoded value is encoded as data that are decoded, and encoded as the same. "+cite(r.decode, r.encode)).blaming(r.encode).changing()
	law.Apart, law.Plain = true, true
	return law.checked(func(c *Call) *Breach {
		data := input[[]byte](c, 1).value
		if c.failed() || len(data) == 0 || r.text && !utf8.Valid(data) || r.json && !json.Valid(data) {
			return nil
		}
		x, ok := r.zeroed(c)
		y, also := r.zeroed(c)
		if !ok || !also {
			return nil
		}
		b := check6(c, property.EncodesAgain, c.error(r.decode), r.encodes(c), r.valueOf("(*x)"), x, y, c.in(1))
		if b == nil || reflect.ValueOf(x.value).Elem().IsZero() { // of data that say nothing
			return nil
		}
		first, ok := r.again(c, r.decoded(x.value))
		if !ok || !r.repeats(c, r.decoded(x.value), first) {
			return nil
		}
		y, _ = r.zeroed(c)
		err, ok := said(r.decode.error(c), y.value, slices.Clone(first))
		if !ok {
			return nil
		}
		if err != nil {
			return b.says("what was decoded is encoded as " + strconv.Quote(string(first)) + ", of which " + r.decode.Base + " says: " + blame.OneLine(blame.TextOf(err)))
		}
		again, ok := r.again(c, r.decoded(y.value))
		if ok && !r.repeats(c, r.decoded(y.value), again) {
			return nil
		}
		return b.says("what was decoded is encoded as " + strconv.Quote(string(first)) + ", which is decoded and encoded as " + strconv.Quote(string(again)))
	})
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
