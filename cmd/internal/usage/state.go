package usage

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"

	"foray.test/cmd/internal/profile"
	"foray.test/engine/seq"
)

// A kind says as what a value is known.
type kind uint8

const (
	unknown  kind = iota
	constval      // a constant
	null          // nil
	result        // a result of a step
	literal       // a composite literal, or what append made of one
	address       // the address of one
	function      // a func literal, or a function
)

// A value is what a reader knows of the value of an expression.
type value struct {
	kind kind
	typ  types.Type // nil if it is not known
	con  constant.Value
	slot int32
	lit  *composite
	fn   *funcValue
}

// A composite is a value that a composite literal makes. Variables that hold it share it.
type composite struct {
	typ    types.Type
	names  []string // of fields of a struct
	keys   []value  // of a map
	elems  []value  // of fields, elements or entries
	text   string   // of a []byte or []rune made of a string
	isText bool
}

// A funcValue is a func literal or a declared function.
type funcValue struct {
	typ  *ast.FuncType
	body *ast.BlockStmt // nil if it is not known
	name string
	obj  *types.Func // if it is declared
	src  *source     // nil if it is not known
}

// A state is the state of a test that is read: the steps so far, and what variables hold.
type state struct {
	draft seq.Draft
	vars  map[types.Object]value
	made  map[*composite][]int32         // slots that hold a composite, or its address
	other map[conversion]map[int32]int32 // slots that hold a value in another form
	edits map[*composite]*composite      // composites that were changed, as they are now
	lost  map[int32]bool                 // slots with values of which too little is known
	gone  map[*composite]bool            // composites, likewise
	from  int                            // the steps before are those of the enclosing test
}

func newState(t *seq.Table) *state {
	return &state{
		draft: seq.NewDraft(t, nil), vars: map[types.Object]value{}, made: map[*composite][]int32{},
		other: map[conversion]map[int32]int32{}, edits: map[*composite]*composite{}, lost: map[int32]bool{}, gone: map[*composite]bool{},
	}
}

// fork returns a copy of s for a subtest or one row of a table.
func (s *state) fork() *state {
	c := *s
	c.draft = seq.NewDraft(s.draft.Table, s.draft.Steps)
	c.vars, c.lost, c.gone, c.edits, c.from = maps.Clone(s.vars), maps.Clone(s.lost), maps.Clone(s.gone), maps.Clone(s.edits), len(s.draft.Steps)
	c.made = make(map[*composite][]int32, len(s.made))
	for k, v := range s.made {
		c.made[k] = slices.Clone(v)
	}
	c.other = make(map[conversion]map[int32]int32, len(s.other))
	for k, v := range s.other {
		c.other[k] = maps.Clone(v)
	}
	return &c
}

// now returns a composite as it is now.
func (s *state) now(c *composite) *composite {
	if edited, ok := s.edits[c]; ok {
		return edited
	}
	return c
}

// edit returns a copy of a composite as it is now, which takes its place.
func (s *state) edit(c *composite) *composite {
	e := *s.now(c)
	e.names, e.keys, e.elems = slices.Clone(e.names), slices.Clone(e.keys), slices.Clone(e.elems)
	s.edits[c] = &e
	return &e
}

// lose notes that too little is known of v from now on.
func (s *state) lose(v value) {
	switch v.kind {
	case result:
		s.lost[v.slot] = true
	case literal, address:
		s.gone[v.lit] = true
	}
}

// isLost reports whether too little is known of v.
func (s *state) isLost(v value) bool {
	switch v.kind {
	case result:
		return s.lost[v.slot] || int(v.slot) >= len(s.draft.Types) // a subtest made it: its steps are its own
	case literal, address:
		return s.gone[v.lit]
	}
	return v.kind == unknown
}

// A frame is one function whose body is read.
type frame struct {
	depth   int
	guarded bool    // it recovers from panics
	fuzz    bool    // it is a fuzz target
	results []value // what it has returned
	rows    [][]value
	caught  []guarded // calls under guard
}

// A guarded call is one that may be the one that a test expects to panic.
type guarded struct {
	op   seq.OpID
	call profile.Call
}

// constOf returns the value of a constant.
func constOf(c constant.Value, t types.Type) value { return value{kind: constval, con: c, typ: t} }

// zero returns the zero value of a type, as far as it can be written.
func zero(t types.Type) value {
	if t == nil {
		return value{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return constOf(constant.MakeBool(false), t)
		case u.Info()&types.IsNumeric != 0:
			return constOf(constant.MakeInt64(0), t)
		case u.Info()&types.IsString != 0:
			return constOf(constant.MakeString(""), t)
		}
	case *types.Struct, *types.Array:
		return value{kind: literal, typ: t, lit: &composite{typ: t}}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return value{kind: null, typ: t}
	}
	return value{typ: t}
}
