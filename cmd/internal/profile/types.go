package profile

import (
	"cmp"
	"slices"
)

// A Type is the use of a type of the package.
type Type struct {
	Name string `json:"name"` // without the package, pointers and type arguments
	// Zero and Literals are the places of the tests' source that make its zero value, and others
	// by a literal.
	Zero     int      `json:"zero,omitempty"`
	Literals int      `json:"literals,omitempty"`
	Ran      *Objects `json:"ran,omitempty"` // when the tests ran; nil if that is not known
}

// Objects are the values of a type that a run of the tests used.
type Objects struct {
	Stamp  string  `json:"stamp,omitempty"`
	Values int     `json:"values"`
	Nil    int     `json:"nil,omitempty"`  // arguments that are nil pointers
	Made   []Count `json:"made,omitempty"` // by these operations; the others by none
	// Least and Most are the methods that were called on one value.
	Least int     `json:"least,omitempty"`
	Most  int     `json:"most,omitempty"`
	First []Count `json:"first,omitempty"` // the methods that were the first on a value
	Last  []Count `json:"last,omitempty"`  // the last
}

// An Object is one value while the tests run.
type Object struct {
	Type        string
	Made        string // the function or method that was the first to return it, empty if none did
	First, Last string // method
	Calls       int    // of methods
}

// Type returns the profile of a type, which it adds if there is none.
func (p *Profile) Type(name string) *Type {
	i, ok := slices.BinarySearchFunc(p.Types, name, func(t Type, name string) int { return cmp.Compare(t.Name, name) })
	if !ok {
		p.Types = slices.Insert(p.Types, i, Type{Name: name})
	}
	return &p.Types[i]
}

// Add observes an object.
func (s *Objects) Add(o *Object) {
	s.Values++
	if s.Values == 1 {
		s.Least = o.Calls
	}
	s.Least, s.Most = min(s.Least, o.Calls), max(s.Most, o.Calls)
	for _, c := range []struct {
		to *[]Count
		op string
	}{{&s.Made, o.Made}, {&s.First, o.First}, {&s.Last, o.Last}} {
		if c.op != "" {
			*c.to = addCount(*c.to, Count{Operation: c.op}, 1)
		}
	}
}

// mergeTypes takes over the facts of types that p does not have, as Merge does.
func (p *Profile) mergeTypes(old []Type) {
	for i := range old {
		known := p.HasType(old[i].Name)
		t := p.Type(old[i].Name)
		if !known {
			*t = old[i]
		} else if o := old[i].Ran; o != nil && (t.Ran == nil || t.Ran.Stamp == o.Stamp && t.Ran.Values < o.Values) {
			t.Ran = o
		}
	}
}
