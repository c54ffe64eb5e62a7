// Package difference compares the runs of one sequence in two versions of a package. A run
// has the effects that callers can observe: the results of each step, its panic, and the
// changes to its arguments.
//
// It holds data and comparison only. Package harness/observe looks at live values, and
// engine/versions chooses the sequences.
package difference

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of values.
const (
	Opaque Kind = iota // not observable: a function, a struct without exported fields
	Basic              // Text is the value as Go writes it
	Nil
	Error  // Text is the result of Error
	Text   // Text is the result of String, of a standard type
	List   // of a slice or array: the parts are its elements
	Map    // the parts are its entries, sorted
	Struct // the parts are its exported fields that are not zero
	Cut    // a limit was met
	Zero   // a zero field that is not zero in the other version
)

// A Value is the part of a Go value that is observable outside of its package: basic
// values, exported fields, elements and the targets of pointers. It has no unexported
// fields and no addresses, so that versions with other layouts can be compared.
type Value struct {
	Kind Kind
	Text string `json:",omitempty"`
	// Pointers is how many pointers lead from the place to the value. Dynamic is set if the
	// place holds an interface.
	Pointers int  `json:",omitempty"`
	Dynamic  bool `json:",omitempty"`
	// Method is set if package fmt shows the value, or a key of it, by a method of its type.
	Method bool   `json:",omitempty"`
	Parts  []Part `json:",omitempty"`
}

// More is the path of the part that counts the elements of a list beyond a limit. Its text is
// their number, and a word.
const More = "[…]"

// Len returns the number of elements of a list.
func (v Value) Len() int {
	n := len(v.Parts)
	if n > 0 && v.Parts[n-1].Path == More {
		number, _, _ := strings.Cut(v.Parts[n-1].Value.Text, " ")
		more, _ := strconv.Atoi(number)
		return n - 1 + more
	}
	return n
}

// A Part is one field, element or entry. Path is how Go selects it: ".Name",
// "[3]", `["key"]`.
type Part struct {
	Path  string
	Value Value
	// NoKey is set if the path is a key that Go does not select so: one in an interface, a
	// pointer, a struct.
	NoKey bool `json:",omitempty"`
}

// String returns the value in a form close to Go's: [1, 2], {Name: "x"}, nil.
func (v Value) String() string { return string(v.append(nil)) }

func (v Value) append(dst []byte) []byte {
	switch v.Kind {
	case Nil:
		return append(dst, "nil"...)
	case Zero:
		return append(dst, "zero"...)
	case Basic, Text:
		return append(dst, v.Text...)
	case Error:
		return append(append(append(dst, "error("...), v.Text...), ')')
	case Cut:
		return append(dst, "…"...)
	case Opaque:
		return append(dst, "{…}"...)
	}
	open, end := byte('{'), byte('}')
	if v.Kind == List {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	for i, p := range v.Parts {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		switch v.Kind {
		case Map:
			dst = append(append(dst, strings.TrimSuffix(p.Path[1:], "]")...), ": "...)
		case Struct:
			dst = append(append(dst, p.Path[1:]...), ": "...)
		}
		dst = p.Value.append(dst)
	}
	return append(dst, end)
}

// first returns the first place where a and b differ, as the selections that lead to it,
// and the two values there.
func first(a, b Value) (way []Part, x, y Value) {
	if a.Kind != b.Kind || a.Kind != List && a.Kind != Map && a.Kind != Struct || a.Kind == List && a.Len() != b.Len() {
		return nil, a, b
	}
	for i, j := 0, 0; i < len(a.Parts) || j < len(b.Parts); {
		var p Part
		other := Value{Kind: Zero}
		switch {
		case j == len(b.Parts) || i < len(a.Parts) && a.Kind != List && a.Parts[i].Path < b.Parts[j].Path:
			p = a.Parts[i]
			i++
		case i == len(a.Parts) || a.Kind != List && a.Parts[i].Path > b.Parts[j].Path:
			p = Part{Path: b.Parts[j].Path, Value: other}
			other = b.Parts[j].Value
			j++
		default:
			p, other = a.Parts[i], b.Parts[j].Value
			i, j = i+1, j+1
		}
		if p.Value.String() == other.String() {
			continue
		}
		if a.Kind == Map && (p.Value.Kind == Zero || other.Kind == Zero) {
			return nil, a, b // another key
		}
		way, x, y = first(p.Value, other)
		p.Value.Parts = nil // they are not on the way
		return append([]Part{p}, way...), x, y
	}
	return nil, a, b
}

// reordered reports whether a and b are lists of the same elements in another order.
func reordered(a, b Value) bool {
	return a.Kind == List && b.Kind == List && len(a.Parts) == len(b.Parts) && sorted(a) == sorted(b)
}

// sorted returns the text of a list with its elements sorted.
func sorted(v Value) string {
	texts := make([]string, len(v.Parts))
	for i, p := range v.Parts {
		texts[i] = p.Value.String()
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}
