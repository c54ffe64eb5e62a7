// Package planted has a type or function for each property of package contract: it
// breaks the property as long as broken is true, and keeps it otherwise.
package planted

import (
	"bytes"
	"encoding/xml"
	"io"
)

// broken is a variable, so that one binary runs both forms.
var broken = true

// Break chooses the form.
func Break(on bool) { broken = on }

// Buffer returns an empty writer.
func Buffer() io.Writer { return new(bytes.Buffer) }

// Bytes returns n bytes.
func Bytes(n int) []byte { return bytes.Repeat([]byte{'a'}, n) }

// Room returns an empty slice that has room for n bytes.
func Room(n int) []byte { return make([]byte, 0, n) }

// Ints returns numbers.
func Ints(a, b, c int) []int { return []int{a, b, c} }

// Sorted returns numbers of a type that sorts.
func Sorted(a, b, c int) Byes { return Byes{a, b, c} }

// Encoder returns an encoder.
func Encoder() *xml.Encoder { return xml.NewEncoder(io.Discard) }

// Start returns an element.
func Start() xml.StartElement { return xml.StartElement{Name: Named()} }

// Named returns the name of an element.
func Named() xml.Name { return xml.Name{Local: "a"} }
