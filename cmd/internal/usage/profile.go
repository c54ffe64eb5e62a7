package usage

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/profile"
	"foray.test/engine/seq"
	"foray.test/harness/record"
)

// fromOf returns the place of calls in a test function with a name, as profile.Calls has it.
func fromOf(name string) string {
	switch {
	case strings.HasPrefix(name, "Example"):
		return profile.Examples
	case strings.HasPrefix(name, "Fuzz"):
		return profile.Fuzz
	}
	return profile.Tests
}

// notePlace notes a call of an operation in the source.
func (r *reader) notePlace(id seq.OpID, pos token.Pos) {
	op := r.calls[id]
	if r.places[pos] || op == nil {
		return
	}
	r.places[pos] = true
	c := op.In(r.from)
	c.Places++
	at := r.fset.Position(pos)
	c.At = cmp.Or(c.At, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
}

// observe adds a call to the profile.
func (r *reader) observe(id seq.OpID, call profile.Call) {
	if op := r.calls[id]; op != nil {
		op.In(r.from).Add(call)
	}
}

// observed returns the facts that are known of a call in the source.
func (s *state) observed(op *seq.Operation, args []value) (call profile.Call) {
	fixed := op.Fewest()
	for i, a := range args[:min(len(args), fixed)] {
		v := s.fact(a)
		v.Sized = v.Sized || v.Nil && isSized(&s.draft.Table.Types[op.Params[i]])
		call.Args = append(call.Args, v)
	}
	if op.Variadic {
		call.Args = append(call.Args, profile.Length(max(len(args)-fixed, 0)))
	}
	return call
}

// fact returns what is known of a value in the source.
func (s *state) fact(v value) profile.Value {
	switch v.kind {
	case constval:
		return profile.Constant(v.con)
	case null:
		return profile.Value{Known: true, Nil: true}
	case literal:
		c := s.now(v.lit)
		if s.gone[v.lit] {
			return profile.Value{}
		}
		if c.isText {
			return profile.Constant(constant.MakeString(c.text))
		}
		if c.typ != nil {
			switch c.typ.Underlying().(type) {
			case *types.Slice, *types.Map:
				return profile.Length(len(c.elems))
			}
		}
		return profile.Value{Known: true}
	case address, function:
		return profile.Value{Known: true}
	}
	return profile.Value{}
}

// readLiterals counts the literals of types of the package in the source of its tests.
func (c *collection) readLiterals(path string, unit load.Tests) {
	count := func(t types.Type, zero bool) {
		if p := typeOf(t, path); p != "" && c.usage.Profile.HasType(p) {
			of := c.usage.Profile.Type(p)
			if zero {
				of.Zero++
			} else {
				of.Literals++
			}
		}
	}
	for _, f := range unit.Files {
		for n := range ast.Preorder(f) {
			switch n := n.(type) {
			case *ast.CompositeLit:
				count(unit.Info.Types[n].Type, len(n.Elts) == 0)
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 {
					count(unit.Info.Types[n.Args[0]].Type, true)
				}
			case *ast.ValueSpec:
				if n.Type != nil && len(n.Values) == 0 {
					count(unit.Info.Types[n.Type].Type, true)
				}
			}
		}
	}
}

// typeOf returns the name of a type of a package, empty for another.
func typeOf(t types.Type, path string) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != path {
		return ""
	}
	return named.Obj().Name()
}

// A history is the calls of a run on each object.
type history struct {
	path    string // of the package
	types   *typeFinder
	last    map[uint64]profile.Count
	objects map[uint64]*profile.Object
	order   []uint64
	sites   map[seq.OpID]map[uint64]bool
}

// profile counts the recorded calls.
func (c *converter) profile() {
	h := &history{path: c.path, types: c.types, last: map[uint64]profile.Count{}, objects: map[uint64]*profile.Object{}, sites: map[seq.OpID]map[uint64]bool{}}
	for i := range c.functions { // of others nothing is recorded
		if id, ok := c.operationOf(i); ok {
			c.calls[id].Ran = &profile.Calls{}
		}
	}
	p := c.usage.Profile
	for i := range p.Types {
		p.Types[i].Ran = &profile.Objects{}
	}
	for i := range c.recorded {
		c.count(h, &c.recorded[i])
	}
	for _, id := range h.order {
		if o := h.objects[id]; p.HasType(o.Type) {
			p.Type(o.Type).Ran.Add(o)
		}
	}
}

// count adds a recorded call to the profile. The history has all functions, the profile those that
// are operations of the table.
func (c *converter) count(h *history, call *recordedCall) {
	if call.function >= len(c.functions) {
		return
	}
	name := c.functions[call.function].Name
	var receiver uint64
	if strings.Contains(name, ".") && len(call.args) > 0 {
		receiver = call.args[0].plain().object
	}
	for i := range call.args {
		v := call.args[i].plain()
		h.see(v, "")
		if t := typeOf(pointed(h.types.find(v.typ)), h.path); v.tag == record.TagNil && c.usage.Profile.HasType(t) {
			c.usage.Profile.Type(t).Ran.Nil++
		}
	}
	if id, ok := c.operationOf(call.function); ok {
		of := c.calls[id].Ran
		if h.sites[id] == nil {
			h.sites[id] = map[uint64]bool{}
		}
		h.sites[id][call.site] = true
		of.Places = len(h.sites[id])
		of.Add(call.observed(c.table, &c.table.Ops[id], h.last[receiver]))
	}
	for i := range call.results {
		h.see(&call.results[i], name)
	}
	if o := h.objects[receiver]; o != nil {
		o.First, o.Last = cmp.Or(o.First, name), name
		o.Calls++
	}
	if receiver != 0 {
		h.last[receiver] = profile.Count{Operation: name}
	}
}

// operationOf returns the operation under which the calls of a function are counted.
func (c *converter) operationOf(function int) (seq.OpID, bool) {
	for _, id := range c.operationsOf(function) {
		if !c.table.Ops[id].Spread && c.calls[id] != nil {
			return id, true
		}
	}
	return 0, false
}

// observed returns the facts of a recorded call of an operation.
func (call *recordedCall) observed(t *seq.Table, op *seq.Operation, before profile.Count) profile.Call {
	observed := profile.Call{Caught: call.panicked, Before: before}
	for i := range call.args {
		variadic := op.Variadic && i == len(op.Params)-1
		observed.Args = append(observed.Args, call.args[i].plain().fact(variadic || i < len(op.Params) && isSized(&t.Types[op.Params[i]])))
	}
	for i := range call.results {
		observed.Results = append(observed.Results, call.results[i].fact(i < len(op.Results) && isSized(&t.Types[op.Results[i]])))
	}
	return observed
}

// see notes the object of a value, and the operation that returns it, if one does.
func (h *history) see(v *recordedValue, made string) {
	name := typeOf(pointed(h.types.find(v.typ)), h.path)
	if v.object == 0 || name == "" || h.objects[v.object] != nil {
		return
	}
	h.objects[v.object] = &profile.Object{Type: name, Made: made}
	h.order = append(h.order, v.object)
	if made != "" {
		h.last[v.object] = profile.Count{Operation: made, Made: true}
	}
}

// isSized reports whether the values of a type have a length.
func isSized(t *seq.Type) bool { return profile.KindOf(t) == profile.Sized }

// fact returns what is known of a recorded value. A value of a sized type that is nil, or too
// long to be recorded, has a length.
func (v *recordedValue) fact(sized bool) profile.Value {
	switch v.tag {
	case record.TagUnknown:
		return profile.Value{}
	case record.TagNil:
		return profile.Value{Known: true, Nil: true, Sized: sized}
	case record.TagObject:
		return profile.Value{Known: true, Sized: sized, Len: record.MaxText, Cut: sized}
	case record.TagText:
		if !strings.HasPrefix(v.typ, "*") {
			return profile.Constant(constant.MakeString(v.text))
		}
	case record.TagList:
		l := profile.Length(len(v.list))
		l.Cut = len(v.list) == record.MaxElems
		return l
	case record.TagMap:
		l := profile.Length(len(v.list) / 2)
		l.Cut = len(v.list) == 2*record.MaxElems
		return l
	}
	if con := v.constant(); con != nil {
		return profile.Constant(con)
	}
	return profile.Value{Known: true}
}
