package contract

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// decodedLaws adds the laws that data which were decoded make the round trip: the value is
// encoded, decoded and encoded again. They look at zero values of the type, into which its
// users decode, not at the receiver of the call.
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
			if r := a.decodedTrip(zero, decode); r != nil {
				add(r.encodesAgain())
			}
		}
	}
}

// decodedTrip returns the round trip of a method that decodes and the one that undoes it, nil
// if there is none.
func (a *api) decodedTrip(zero, decode operation) *roundTrip {
	to := decode.Params[0]
	for _, from := range a.receivers {
		if from != to && !a.t.Types[to].Of(seq.PointerType, &a.t.Types[from]) {
			continue
		}
		for _, encode := range a.methods[from] {
			if !callable(encode.Operation) || !a.fits(encode.Operation, encodeShape) && !a.fits(encode.Operation, "-> []byte") ||
				!undoes(encode.Base, decode.Base) {
				continue
			}
			r := &roundTrip{encoding: &encoding{}, encode: encode, decode: decode, zero: zero, pointer: from != to}
			if i := slices.IndexFunc(encodings, func(e encoding) bool { return e.decode == decode.Base }); i >= 0 {
				r.encoding = &encodings[i]
			}
			return r
		}
	}
	return nil
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
