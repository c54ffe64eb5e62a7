// Package profile holds the use that tests and users make of a package: a profile of each
// operation, and of each type that has values with methods.
//
// Package usage makes two profiles, one from the source of tests and users, one from a run of the
// tests. [Profile.Merge] joins them with each other and with the profile of earlier runs, which the
// corpus of the package keeps as JSON. [Operation.Lines] and [Type.Lines] tell them in words:
//
//	called at 14 places of the tests, the first at list_test.go:12, never with a negative n; a test
//	catches its panic with an empty s
//
// The package holds no values but examples of constants, and judges nothing.
package profile

import (
	"cmp"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// A Profile is the use of one package.
type Profile struct {
	Package    string
	Operations []Operation // of the API, those that nothing calls as well, in order of their names
	Types      []Type      // in order of their names
	// Users are the import paths of the packages that were read beside the tests. One that ends in
	// "/..." stands for all packages below it, whether they use the package or not.
	Users []string
}

// An Operation is the use of one operation.
type Operation struct {
	Name   string  `json:"name"` // seq.Operation.Name
	Params []Param `json:"params,omitempty"`
	// Results are those without names, or the names that the source gives them.
	Results []Param `json:"results,omitempty"`
	Read    []Calls `json:"read,omitempty"` // in the source, by From
	Ran     *Calls  `json:"ran,omitempty"`  // when the tests ran; nil if that is not known
}

// A Param is a parameter or a result. The first parameter of a method is its receiver.
type Param struct {
	Name     string `json:"name,omitempty"`
	Kind     Kind   `json:"kind,omitempty"`
	Receiver bool   `json:"receiver,omitempty"`
}

// A Kind classes types by the facts that are told of their values.
type Kind string

// The kinds of types. Other types have none.
const (
	Signed    Kind = "signed" // numbers
	Unsigned  Kind = "unsigned"
	Bool      Kind = "bool"
	Sized     Kind = "sized"     // texts, lists and maps
	Reference Kind = "reference" // pointers, functions, interfaces …
	Error     Kind = "error"     // the last result
)

// The places of the package's own tests, as Calls.From has them. Others are import paths.
const (
	Tests    = "tests"
	Examples = "examples"
	Fuzz     = "fuzz targets"
)

// New returns a profile without calls of the API of a table, and the operations in it by their
// numbers.
func New(t *seq.Table) (p *Profile, byID map[seq.OpID]*Operation) {
	p, byID = &Profile{Package: t.Package}, map[seq.OpID]*Operation{}
	var ids []seq.OpID
	for i := range t.Ops {
		if t.Ops[i].API {
			ids = append(ids, seq.OpID(i))
		}
	}
	slices.SortFunc(ids, func(a, b seq.OpID) int { return cmp.Compare(t.Ops[a].Name, t.Ops[b].Name) })
	p.Operations = make([]Operation, len(ids))
	for i, id := range ids {
		op := &t.Ops[id]
		p.Operations[i] = newOperation(t, op)
		byID[id] = &p.Operations[i]
		if name := TypeName(t, op); name != "" {
			p.Type(name)
		}
	}
	return p, byID
}

// TypeName returns the name under which the receiver of a method is in a profile, empty for other
// operations.
func TypeName(t *seq.Table, op *seq.Operation) string {
	if op.Kind != seq.Method || len(op.Params) == 0 || t.Types[op.Params[0]].Path != t.Package {
		return ""
	}
	return t.Types[op.Params[0]].Base
}

func newOperation(t *seq.Table, op *seq.Operation) Operation {
	o := Operation{Name: op.Name}
	for i, id := range op.Params {
		p := Param{Kind: KindOf(&t.Types[id]), Receiver: i == 0 && op.Kind == seq.Method}
		if i < len(op.Names) {
			p.Name = op.Names[i]
		}
		if op.Variadic && i == len(op.Params)-1 {
			p.Kind = Sized
		}
		o.Params = append(o.Params, p)
	}
	for i, id := range op.Results {
		p := Param{Kind: KindOf(&t.Types[id])}
		if op.ReturnsError && i == len(op.Results)-1 {
			p.Kind = Error
		}
		o.Results = append(o.Results, p)
	}
	return o
}

// KindOf returns the kind of a type.
func KindOf(t *seq.Type) Kind {
	switch t.Literal {
	case seq.Int, seq.Float:
		return Signed
	case seq.Uint:
		return Unsigned
	case seq.Bool:
		return Bool
	case seq.String:
		return Sized
	}
	switch {
	case t.Kind == seq.SliceType || t.Kind == seq.MapType:
		return Sized
	case t.Nilable:
		return Reference
	}
	return ""
}

// Operation returns the profile of an operation, nil if it has none.
func (p *Profile) Operation(name string) *Operation {
	i, ok := slices.BinarySearchFunc(p.Operations, name, func(o Operation, name string) int { return cmp.Compare(o.Name, name) })
	if !ok {
		return nil
	}
	return &p.Operations[i]
}

// HasType reports whether a type is in the profile.
func (p *Profile) HasType(name string) bool {
	return slices.ContainsFunc(p.Types, func(t Type) bool { return t.Name == name })
}

// In returns the calls in the source from one place, which it adds if there are none.
func (o *Operation) In(from string) *Calls {
	i, ok := slices.BinarySearchFunc(o.Read, from, func(c Calls, from string) int { return compareFrom(c.From, from) })
	if !ok {
		o.Read = slices.Insert(o.Read, i, Calls{From: from})
	}
	return &o.Read[i]
}

// compareFrom sorts the tests of the package before its users.
func compareFrom(a, b string) int {
	own := []string{Fuzz, Examples, Tests}
	return cmp.Or(slices.Index(own, b)-slices.Index(own, a), cmp.Compare(a, b))
}

// SetStamp notes the package and its tests as they were when they ran.
func (p *Profile) SetStamp(stamp string) {
	for i := range p.Operations {
		if ran := p.Operations[i].Ran; ran != nil {
			ran.Stamp = stamp
		}
	}
	for i := range p.Types {
		if ran := p.Types[i].Ran; ran != nil {
			ran.Stamp = stamp
		}
	}
}

// Places returns the number of places that call the operation.
func (o *Operation) Places() (n int) {
	for i := range o.Read {
		n += o.Read[i].Places
	}
	return n
}

// CatchesPanic reports whether a test survives a panic of the operation: one that a run of the
// tests has had, or one that their source expects.
func (o *Operation) CatchesPanic() bool {
	return o.Ran != nil && o.Ran.Caught > 0 || slices.ContainsFunc(o.Read, func(c Calls) bool { return c.Caught > 0 })
}

// Merge takes over the facts of old that p does not have. These are operations and types that are
// not in p, a run of the tests if p has none, and places in users that p has not read. Of two runs of
// equal tests it keeps the one that made more calls.
func (p *Profile) Merge(old *Profile) {
	for i := range p.Operations {
		if o := old.Operation(p.Operations[i].Name); o != nil {
			p.mergeOperation(&p.Operations[i], o)
		}
	}
	for _, o := range old.Operations {
		if p.Operation(o.Name) == nil {
			p.Operations = append(p.Operations, o)
			slices.SortFunc(p.Operations, func(a, b Operation) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	p.mergeTypes(old.Types)
}

func (p *Profile) mergeOperation(o, old *Operation) {
	for _, c := range old.Read {
		if !p.hasRead(c.From) {
			*o.In(c.From) = c
		}
	}
	if old.Ran != nil && (o.Ran == nil || o.Ran.Stamp == old.Ran.Stamp && o.Ran.Times < old.Ran.Times) {
		o.Ran = old.Ran
	}
}

// hasRead reports whether the source of a place has been read for p, or is gone.
func (p *Profile) hasRead(from string) bool {
	own := from == Tests || from == Examples || from == Fuzz
	return own || slices.ContainsFunc(p.Users, func(path string) bool {
		below, all := strings.CutSuffix(path, "/...")
		return from == below || all && strings.HasPrefix(from, below+"/")
	})
}

// Clone returns a copy of p that can be merged with others.
func (p *Profile) Clone() *Profile {
	c := *p
	c.Operations, c.Types = slices.Clone(p.Operations), slices.Clone(p.Types)
	for i := range c.Operations {
		c.Operations[i].Read = slices.Clone(c.Operations[i].Read)
	}
	return &c
}

// Member returns the use of an exported function or method of a table, nil if there is none: that
// of all instances of a generic one. The first names the parameters. A nil p has none, and neither
// has a method of a type of no package that nothing calls, such as Error.
func (p *Profile) Member(t *seq.Table, member string) *Operation {
	if p == nil {
		return nil
	}
	var sum *Operation
	for i := range t.Ops {
		op := &t.Ops[i]
		o := p.Operation(op.Name)
		if o == nil || !op.API || cmp.Or(op.Member, op.Short) != member || op.Kind == seq.Method && TypeName(t, op) == "" && o.Places() == 0 {
			continue
		}
		if sum == nil {
			sum = &Operation{Name: o.Name, Params: o.Params, Results: o.Results}
		}
		for j := range o.Read {
			sum.In(o.Read[j].From).merge(&o.Read[j])
		}
		if o.Ran != nil {
			if sum.Ran == nil {
				sum.Ran = &Calls{Stamp: o.Ran.Stamp}
			}
			sum.Ran.merge(o.Ran)
		}
	}
	return sum
}
