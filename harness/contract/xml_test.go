package contract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

var xmlPlantings = []Planting{
	{`v0 := planted.NewLength(-3); v1 := planted.Encoder(); v2 := planted.Start(); v3 := v0.MarshalXML(v1, v2)`, "round-trip"},
	{`v0 := planted.NewWeight(3); v1 := planted.Encoder(); v2 := planted.Start(); v3 := v0.MarshalXML(v1, v2)`, "round-trip"},
	{`v0 := planted.NewKind(-3); v1 := planted.Named(); v2, v3 := v0.MarshalXMLAttr(v1)`, "round-trip"},
	{`v0 := planted.NewWidth(3); v1 := planted.Named(); v2, v3 := v0.MarshalXMLAttr(v1)`, "round-trip"},
	{`v0 := planted.NewDepth(3); v1 := planted.Named(); v2, v3 := v0.MarshalXMLAttr(v1)`, "round-trip"},
}

var xmlCases = []lawCase{
	{"round-trip", "XML", "", inXML(scanInt), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", true},
	{"round-trip", "XML that is lost in part", "", inXML(scanDigit), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "XML that is refused", "", inXML(refuse), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "XML that panics", "", inXML(crash), "NewT(37); Encoder(); Start(); MarshalXML(v0, v1, v2)", false},
	{"round-trip", "an attribute", "", inXML(scanInt), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", true},
	{"round-trip", "an attribute that is lost in part", "", inXML(scanDigit), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that is refused", "", inXML(refuse), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that panics", "", inXML(crash), "NewT(37); Name(); MarshalXMLAttr(v0, v1)", false},
	{"round-trip", "an attribute that is left out", "", inXML(refuse), "NewT(0); Name(); MarshalXMLAttr(v0, v1)", true},
}

// An xmlNumber is written as XML.
type xmlNumber struct{ n int }

func (x *xmlNumber) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(x.n, start)
}

func (x *xmlNumber) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var text string
	if err := d.DecodeElement(&text, &start); err != nil {
		return err
	}
	return readXML(&x.n, text)
}

// readXML is how every xmlNumber reads; the zero value, into which is read, has no say.
var readXML func(n *int, text string) error

// inXML returns the operations of an xmlNumber as an element and as an attribute.
func inXML(read func(n *int, text string) error) map[string]func([]any) any {
	return ops("zero() *p.T", func([]any) any { return &xmlNumber{} },
		"NewT(int) *p.T", func(a []any) any { readXML = read; return &xmlNumber{n: at(a, 0)} },
		"Encoder() *xml.Encoder", func([]any) any { return xml.NewEncoder(io.Discard) },
		"Start() xml.StartElement", func([]any) any { return xml.StartElement{} },
		"Name() xml.Name", func([]any) any { return xml.Name{} },
		"(*T).MarshalXML(*xml.Encoder, xml.StartElement) error", func([]any) any { return many{errors.New("no name")} },
		"(*T).UnmarshalXML(*xml.Decoder, xml.StartElement) error", func([]any) any { return many{nil} },
		"(*T).MarshalXMLAttr(xml.Name) (xml.Attr, error)", func(a []any) any {
			if n := a[0].(*xmlNumber).n; n != 0 {
				return many{xml.Attr{Name: a[1].(xml.Name), Value: fmt.Sprint(n)}, nil}
			}
			return many{xml.Attr{}, nil}
		},
		"(*T).UnmarshalXMLAttr(xml.Attr) error", func(a []any) any {
			return many{read(&a[0].(*xmlNumber).n, a[1].(xml.Attr).Value)}
		})
}

func scanInt(n *int, text string) error {
	_, err := fmt.Sscan(text, n)
	return err
}

func scanDigit(n *int, text string) error { return scanInt(n, text[:1]) }

func refuse(*int, string) error { return errors.New("no") }

func crash(*int, string) error { panic("crash") }
