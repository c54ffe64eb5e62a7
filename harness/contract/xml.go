package contract

import (
	"encoding/xml"
	"reflect"
	"strings"
	"unicode"

	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docElement   = `package encoding/xml, Marshaler and Unmarshaler: objects that "can marshal themselves into valid XML elements", and that "can unmarshal an XML element description of themselves"`
	docAttribute = `package encoding/xml, MarshalerAttr and UnmarshalerAttr: objects that "can marshal themselves into valid XML attributes", and that "can unmarshal an XML attribute description of themselves"`
)

// An xmlForm is how package encoding/xml writes a value: as an element, or as an
// attribute of one.
type xmlForm struct {
	encoding
	writes, reads string // the shapes of the two methods
}

var (
	xmlElement   = xmlForm{encoding{encode: "MarshalXML", decode: "UnmarshalXML", text: true, standard: true, able: docElement}, "*xml.Encoder, xml.StartElement -> error", "*xml.Decoder, xml.StartElement -> error"}
	xmlAttribute = xmlForm{encoding{encode: "MarshalXMLAttr", decode: "UnmarshalXMLAttr", text: true, standard: true, able: docAttribute}, "xml.Name -> xml.Attr, error", "xml.Attr -> error"}
)

// xmlLaws adds the laws of types that have methods for their form in XML.
func xmlLaws(a *api, add func(...Law)) {
	for _, f := range []*xmlForm{&xmlElement, &xmlAttribute} {
		a.everyMethod(f.encode, f.writes, func(encode operation) {
			r := a.roundTripBy(&f.encoding, encode, f.reads)
			if r != nil && r.zero.exists() && a.t.Types[r.decode.Params[0]].IsPointer() {
				add(xmlTrip{r, f == &xmlAttribute}.law())
			}
		})
	}
}

// An xmlTrip has the operations that write a value as XML and read it again.
type xmlTrip struct {
	*roundTrip
	attribute bool
}

// law is the law that a value can be read back unchanged from its XML.
func (r xmlTrip) law() Law {
	law, hedged := r.blamed("round-trip", r.doc()), r.hedged()
	return law.checked(func(c *Call) *Breach {
		if noEquality(c.Args[0]) || blame.IsNil(c.Args[0]) || holdsBadText(c.Args[0]) {
			return nil
		}
		data, ok := r.write(c, c.Args[0])
		x, made := r.zeroed(c)
		if !ok || !made || data == (any)(xml.Attr{}) {
			return nil // an attribute that is left out is not read
		}
		said, panicked := r.read(c, x.value, data)
		err, _ := said.(error)
		write, read := r.writes(c, func(any) (any, error) { return data, nil }), r.reads(c, func(_, _ any) error { return err })
		b := check4(c, property.Reads, write, read, c.in(0), x)
		switch {
		case panicked != nil:
			b = c.breach(property.Reads, write.text, read.text, c.in(0).text, x.text).
				says(r.decode.Base + " panics on what " + r.encode.Base + " wrote: " + blame.OneLine(blame.TextOf(panicked)))
		case b != nil:
			b.Detail = r.decode.Base + " says of what " + r.encode.Base + " wrote: " + blame.OneLine(blame.TextOf(err))
		case !hedged:
			b = r.same(c, read, x, data)
		}
		if b == nil {
			return nil
		}
		b.Doubt = c.unchecked()
		if holdsMarkup(c.Args[0]) {
			b.Doubt = "the value holds text that is no name, and may have become one"
		}
		return b
	})
}

// same checks that x, read from data, equals the call's receiver: by the type's own
// equality, else by writing it again.
func (r xmlTrip) same(c *Call, read term[func(data, x any) error], x term[any], data any) *Breach {
	if r.equal.exists() && !mixes(c.Args[0]) {
		write := r.writes(c, func(any) (any, error) { return data, nil })
		b := check7(c, property.ReadsEqual, write, read, c.bool(r.equal), r.valueOf("*x"), c.in(0), x, c.in(0))
		if b == nil || !r.equalsItself(c) {
			return nil
		}
		return b.says("what is read is not equal to what was written as " + shown(data))
	}
	again, ok := r.write(c, r.decoded(x.value))
	next := data
	write := r.writes(c, func(any) (any, error) {
		v := next
		next = again
		return v, nil
	})
	b := check5(c, property.ReadsAgain, write, read, r.valueOf("(*x)"), c.in(0), x)
	if !ok || b == nil || !r.repeats(c, c.Args[0], data) || !r.repeats(c, r.decoded(x.value), again) {
		return nil
	}
	return b.says("what was written as " + shown(data) + " is read and written as " + shown(again))
}

// repeats reports whether v is written as data again and again.
func (r xmlTrip) repeats(c *Call, v, data any) bool {
	return repeats(shown(data), func() (string, bool) {
		again, ok := r.write(c, v)
		return shown(again), ok
	})
}

// attributeName is the name of the attributes that values are written as.
var attributeName = xml.Name{Local: "a"}

// write returns the XML of v: bytes that are well formed, or an xml.Attr.
func (r xmlTrip) write(c *Call, v any) (data any, ok bool) {
	if r.attribute {
		results := c.ask(r.encode.id, v, attributeName)
		if results == nil || results[1] != nil {
			return nil, false
		}
		return results[0], true
	}
	defer func() { ok = recover() == nil && ok }() // a panic of MarshalXML is no breach of this law
	text, err := xml.Marshal(v)
	return text, err == nil && len(text) > 0
}

// read reads data into x.
func (r xmlTrip) read(c *Call, x, data any) (err, panicked any) {
	if r.attribute {
		results, panicked := c.Call(r.decode.id, x, data)
		if panicked == ErrRefused {
			return nil, nil
		}
		if panicked != nil {
			return nil, panicked
		}
		return results[0], nil
	}
	defer func() {
		if p := recover(); p != nil {
			panicked = p
		}
	}()
	if e := xml.Unmarshal(data.([]byte), x); e != nil {
		return e, nil
	}
	return nil, nil
}

// writes returns write as a term, reads read of data into x.
func (r xmlTrip) writes(c *Call, f func(any) (any, error)) term[func(any) (any, error)] {
	pkg := c.std("encoding/xml")
	return given(f, func(args []string) string {
		if r.attribute {
			return expr(r.encode.Operation, args[0], pkg+`Name{Local: "`+attributeName.Local+`"}`)
		}
		return pkg + "Marshal(" + args[0] + ")"
	})
}

func (r xmlTrip) reads(c *Call, f func(data, x any) error) term[func(data, x any) error] {
	pkg := c.std("encoding/xml")
	return given(f, func(args []string) string {
		if r.attribute {
			return expr(r.decode.Operation, args[1], args[0])
		}
		return pkg + "Unmarshal(" + strings.Join(args, ", ") + ")"
	})
}

// shown returns the text of the result of write.
func shown(data any) string {
	switch data := data.(type) {
	case xml.Attr:
		return data.Name.Local + `="` + data.Value + `"`
	case []byte:
		return string(data)
	}
	return ""
}

// holdsMarkup reports whether v reaches a string that could not be the name of an
// element, or that XML cannot hold as it is.
func holdsMarkup(v any) bool {
	return reaches([]any{v}, func(r reflect.Value) bool {
		return r.Kind() == reflect.String && (r.Len() == 0 || strings.ContainsFunc(r.String(), func(c rune) bool { return !unicode.IsLetter(c) }))
	})
}
