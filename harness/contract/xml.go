package contract

import (
	"encoding/xml"
	"reflect"
	"strings"
	"unicode"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const (
	docElement   = `package encoding/xml, Marshaler and Unmarshaler: objects that "can marshal themselves into valid XML elements", and that "can unmarshal an XML element description of themselves"`
	docAttribute = `package encoding/xml, MarshalerAttr and UnmarshalerAttr: objects that "can marshal themselves into valid XML attributes", and that "can unmarshal an XML attribute description of themselves"`
)

// An xmlForm is how package encoding/xml writes a value: as an element, or as an
// attribute of one.
type xmlForm struct {
	encoding
	params, results string // of the method that encodes, behind its receiver
	reads           string // the parameters of the one that decodes
}

var (
	xmlElement   = xmlForm{encoding{encode: "MarshalXML", decode: "UnmarshalXML", text: true, standard: true, able: docElement}, "*xml.Encoder xml.StartElement", "error", "*xml.Decoder xml.StartElement"}
	xmlAttribute = xmlForm{encoding{encode: "MarshalXMLAttr", decode: "UnmarshalXMLAttr", text: true, standard: true, able: docAttribute}, "xml.Name", "xml.Attr error", "xml.Attr"}
)

// xmlLaws lists what holds of types that say themselves how they are written as XML.
func xmlLaws(a *api) []Law {
	var all []Law
	for _, f := range []*xmlForm{&xmlElement, &xmlAttribute} {
		a.eachMethod(f.encode, func(id seq.OpID, op *seq.Operation) {
			if a.typeNames(op.Params[1:]) != f.params || a.typeNames(op.Results) != f.results {
				return
			}
			r := a.roundTripBy(&f.encoding, id, op, func(d *seq.Operation) bool {
				return a.typeNames(d.Params[1:]) == f.reads && a.typeNames(d.Results) == "error"
			})
			if r != nil && r.zeroOp != nil && strings.HasPrefix(a.t.Types[r.decOp.Params[0]].Name, "*") {
				all = append(all, xmlTrip{r, f == &xmlAttribute}.law(Law{On: id, Op: r.decode, Tier: engine.Error}))
			}
		})
	}
	return all
}

// typeNames returns the names of types, separated by blanks.
func (a *api) typeNames(ids []seq.TypeID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = a.t.Types[id].Name
	}
	return strings.Join(names, " ")
}

// An xmlTrip is what it takes to read the XML that a value was written as.
type xmlTrip struct {
	*roundTrip
	attribute bool
}

// law is that a value can be read from the XML that it is written as, and is the same.
// Which encoder the call was given says nothing: the value is written anew.
func (r xmlTrip) law(law Law) Law {
	law.Name, law.Doc = "round-trip", r.able
	if c := cite(r.encOp, r.decOp); c != "" {
		law.Doc += "; " + c
	}
	hedged := says(r.encOp, hedges...) || says(r.decOp, hedges...)
	law.Check = func(c *Call, _ any) *Breach {
		if odd(c.Args[0]) || isNil(c.Args[0]) || holdsBadText(c.Args[0]) {
			return nil
		}
		data, ok := r.write(c, c.Args[0])
		x, made := one(c, r.zero)
		if !ok || !made || data == (any)(xml.Attr{}) {
			return nil // an attribute that is left out is not read
		}
		err, panicked := r.read(c, x, data)
		b := &Breach{Doubt: c.unchecked()}
		if holdsMarkup(c.Args[0]) {
			b.Doubt = "the value holds text that is no name, and may have become one"
		}
		w := "data, err := " + r.writes(c, c.arg(0)) + "\nx := " + expr(r.zeroOp)
		fails := "if err != nil || " + r.reads(c) + " != nil {\nreturn false\n}"
		switch {
		case panicked != nil:
			b.Detail = base(r.decOp.Member) + " panics on what " + base(r.encOp.Member) + " wrote: " + line(text(panicked))
			b.Assert = block(w, fails, "return true")
			return b
		case err != nil:
			b.Detail = base(r.decOp.Member) + " says of what " + base(r.encOp.Member) + " wrote: " + line(text(err))
			b.Assert = block(w, fails, "return true")
			return b
		case hedged:
			return nil
		}
		var how string
		if b.Detail, how = r.differs(c, x, data); b.Detail == "" {
			return nil
		}
		b.Assert = block(w, fails, how)
		return b
	}
	return law
}

// differs compares the call's receiver with x, which was read from data: by the type's
// own equality, else by writing it again. It returns what is wrong, if anything, and the
// statements that tell.
func (r xmlTrip) differs(c *Call, x, data any) (detail, how string) {
	if r.equalOp != nil && !mixes(c.Args[0]) {
		same, ok := callBool(c, r.equal, c.Args[0], r.decoded(x))
		self, _ := callBool(c, r.equal, c.Args[0], c.Args[0])
		if !ok || same || !self {
			return "", ""
		}
		return "what is read is not equal to what was written as " + shown(data), "return " + expr(r.equalOp, c.arg(0), strings.Trim(r.decodedText(), "()"))
	}
	again, ok := r.write(c, r.decoded(x))
	if !ok || reflect.DeepEqual(again, data) || !r.repeats(c, c.Args[0], data) || !r.repeats(c, r.decoded(x), again) {
		return "", ""
	}
	return "what was written as " + shown(data) + " is read and written as " + shown(again),
		"again, err := " + r.writes(c, r.decodedText()) + "\nreturn err == nil && " + c.std("reflect") + "DeepEqual(again, data)"
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
		results := c.ask(r.encode, v, attributeName)
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
		results, panicked := c.Call(r.decode, x, data)
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

// writes is the text of write, reads that of read of data into x.
func (r xmlTrip) writes(c *Call, v string) string {
	pkg := c.std("encoding/xml")
	if r.attribute {
		return expr(r.encOp, v, pkg+`Name{Local: "`+attributeName.Local+`"}`)
	}
	return pkg + "Marshal(" + v + ")"
}

func (r xmlTrip) reads(c *Call) string {
	if r.attribute {
		return expr(r.decOp, "x", "data")
	}
	return c.std("encoding/xml") + "Unmarshal(data, x)"
}

// shown returns the text of what write returned.
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
