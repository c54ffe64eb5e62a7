// Package values makes sequences of values that another fuzzer has read from bytes: steps
// of a package's operations that build the value, and calls that take it.
//
//	b := values.NewBuilder(table, pool, nil)
//	steps, calls, ok := b.Build(v) // v0 := &p.Config{N: 7}; p.Run(v0)
package values

import (
	"go/types"
	"regexp"
	"slices"

	"foray.test/cmd/internal/consumer"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// A Builder writes a value as composite literals and as writes of fields that these do not
// set. A part of a value with a [seq.Arg] as its Basic stands for that argument, a slice with
// a string for the bytes or runes of that string.
type Builder struct {
	table   *seq.Table
	pool    *engine.Pool
	dropped []seq.OpID // operations that cannot be called
	types   map[string]seq.TypeID
	makers  map[maker][]seq.OpID
	draft   seq.Draft
	// Cut reports whether a part of the last value could not be made.
	Cut bool
}

// A maker is a kind of operation and its only result.
type maker struct {
	kind   seq.Kind
	result seq.TypeID
}

// NewBuilder returns a Builder of the operations of a table, but for those that were dropped.
func NewBuilder(t *seq.Table, pool *engine.Pool, dropped []seq.OpID) *Builder {
	b := &Builder{table: t, pool: pool, dropped: dropped, types: make(map[string]seq.TypeID, len(t.Types)), makers: map[maker][]seq.OpID{}}
	for i := range t.Ops {
		if op := &t.Ops[i]; len(op.Results) == 1 && !slices.Contains(dropped, seq.OpID(i)) {
			m := maker{op.Kind, op.Results[0]}
			b.makers[m] = append(b.makers[m], seq.OpID(i))
		}
	}
	for i := range t.Types {
		if i > 0 && !t.Types[i].Hidden {
			b.types[oneSpelling(t.Types[i].Name)] = seq.TypeID(i)
		}
	}
	return b
}

// Build returns the steps that make a value or a pointer to it, whichever some call takes,
// and the calls that take it. It reports false if no operation makes the value.
func (b *Builder) Build(v consumer.Value) (steps seq.Sequence, calls []seq.Step, ok bool) {
	ptr := consumer.Value{Type: types.NewPointer(v.Type), Elems: []consumer.Value{v}}
	for _, form := range []consumer.Value{ptr, v, ptr} {
		b.draft, b.Cut = seq.NewDraft(b.table, nil), false
		id, known := b.TypeID(form.Type)
		arg, made := b.value(form)
		if !known || !made || arg.Lit != nil {
			continue
		}
		steps, ok = b.draft.Steps, b.draft.Steps.Check(b.table) == nil
		if calls = b.callsOf(id, arg); len(calls) > 0 {
			break
		}
	}
	return steps, calls, ok
}

// Append adds the steps that make a value to d, and returns it as an argument. It reports
// false, with d as it was, if no operation makes the value.
func (b *Builder) Append(d *seq.Draft, v consumer.Value) (seq.Arg, bool) {
	steps := len(d.Steps)
	b.draft, b.Cut = *d, false
	arg, ok := b.value(v)
	*d = b.draft
	if !ok {
		d.Truncate(steps)
	}
	return arg, ok
}

// callsOf returns a call of each function and method that takes a value of a type. Its other
// parameters are literals, which are zero.
func (b *Builder) callsOf(id seq.TypeID, value seq.Arg) []seq.Step {
	var calls []seq.Step
	for i := range b.table.Ops {
		op := &b.table.Ops[i]
		if !op.API || slices.Contains(b.dropped, seq.OpID(i)) {
			continue
		}
		args, given := []seq.Arg{}, false
		for _, p := range op.Params {
			arg, ok := value, !given && slices.Contains(b.table.Types[p].Assignable, id)
			if given = given || ok; !ok && b.table.Types[p].Literal != seq.NoLiteral {
				arg, ok = b.literal(p, nil)
			}
			if !ok {
				break
			}
			args = append(args, arg)
		}
		if given && len(args) == len(op.Params) {
			calls = append(calls, seq.Step{Op: seq.OpID(i), Args: args})
		}
	}
	return calls
}

// TypeID returns the table's type of t, if it has it.
func (b *Builder) TypeID(t types.Type) (seq.TypeID, bool) {
	name := catalog.TypeText(t, func(p *types.Package) string { return b.table.ImportName(p.Path()) })
	id, ok := b.types[oneSpelling(name)]
	return id, ok
}

// predeclared are the types with two names.
var predeclared = regexp.MustCompile(`\buint8\b|\bint32\b|\binterface ?\{\}`)

// oneSpelling returns the name of a type with one name of each that has two.
func oneSpelling(name string) string {
	return predeclared.ReplaceAllStringFunc(name, func(s string) string {
		switch s {
		case "uint8":
			return "byte"
		case "int32":
			return "rune"
		}
		return "any"
	})
}

// value adds the steps that make v, and returns it as an argument. It makes a part of v if
// no operations make all of it. It reports false if they make nothing.
func (b *Builder) value(v consumer.Value) (seq.Arg, bool) {
	if arg, ok := v.Basic.(seq.Arg); ok {
		return arg, true
	}
	if v.Type == nil {
		return seq.Arg{}, false
	}
	id, ok := b.TypeID(v.Type)
	if !ok {
		return seq.Arg{}, false
	}
	switch u := v.Type.Underlying().(type) {
	case *types.Basic:
		return b.literal(id, v.Basic)
	case *types.Struct:
		return b.structure(id, v)
	case *types.Pointer:
		if len(v.Elems) == 0 {
			return b.literal(id, nil)
		}
		return b.pointer(id, v.Elems[0])
	case *types.Slice:
		if text, ok := textOf(v, u); ok {
			if arg, ok := b.text(id, text); ok {
				return arg, true
			}
		}
		return b.elements(id, v.Elems)
	case *types.Array:
		return b.array(id, v.Elems)
	case *types.Map:
		return b.entries(id, v)
	}
	return seq.Arg{}, false
}

// literal returns a literal. value is nil for the zero value of the type.
func (b *Builder) literal(id seq.TypeID, value any) (seq.Arg, bool) {
	l := b.pool.Zero(id)
	if value != nil {
		l = b.pool.Intern(&seq.Literal{Type: id, Value: value})
	}
	return seq.Arg{Lit: l}, l != nil && (value == nil || b.table.Types[id].Literal != seq.NoLiteral)
}

// find returns the first operation of a kind that makes a value of a type and for which fit
// holds.
func (b *Builder) find(kind seq.Kind, result seq.TypeID, fit func(*seq.Operation) bool) (seq.OpID, bool) {
	for _, id := range b.makers[maker{kind, result}] {
		if fit(&b.table.Ops[id]) {
			return id, true
		}
	}
	return 0, false
}

// step adds a step and returns its result.
func (b *Builder) step(op seq.OpID, args ...seq.Arg) (seq.Arg, bool) {
	if len(args) > engine.MaxStepArgs {
		return seq.Arg{}, false
	}
	slot := b.draft.Add(op, args)
	return seq.Slot(slot + len(b.table.Ops[op].Results) - 1), true
}

// fits reports whether an argument may stand where a type is wanted.
func (b *Builder) fits(arg seq.Arg, want seq.TypeID) bool {
	if arg.Lit != nil {
		return b.table.AssignableTo(arg.Lit.Type, want)
	}
	return b.table.AssignableTo(b.draft.Types[arg.Slot], want)
}

// maxValueSteps bounds the steps that make a value.
const maxValueSteps = 256

// zero returns an argument that holds the zero value of a type.
func (b *Builder) zero(id seq.TypeID) (seq.Arg, bool) {
	if arg, ok := b.literal(id, nil); ok {
		return arg, true
	}
	return b.empty(id)
}

// empty makes a composite literal that sets no field.
func (b *Builder) empty(id seq.TypeID) (seq.Arg, bool) {
	op, ok := b.find(seq.Composite, id, func(op *seq.Operation) bool { return len(op.Params) == 0 })
	if !ok {
		return seq.Arg{}, false
	}
	return b.step(op)
}

// valueOrZero returns an argument that holds v, or if that cannot be made the zero
// value of its type.
func (b *Builder) valueOrZero(id seq.TypeID, v consumer.Value) (seq.Arg, bool) {
	if len(b.draft.Steps) < maxValueSteps {
		if arg, ok := b.value(v); ok && b.fits(arg, id) {
			return arg, true
		}
	}
	b.Cut = b.Cut || !isZero(v)
	return b.zero(id)
}

// isZero reports whether a value is the zero one, or an empty slice or map.
func isZero(v consumer.Value) bool {
	switch v.Basic {
	case nil, false, int64(0), uint64(0), float64(0), "":
		return len(v.Elems) == 0 && !slices.ContainsFunc(v.Fields, func(f consumer.Field) bool { return !isZero(f.Value) })
	}
	return false
}

// structure makes a struct, or a pointer to one if id is the pointer's type.
func (b *Builder) structure(id seq.TypeID, v consumer.Value) (seq.Arg, bool) {
	if made, ok := b.viaPointer(id, v); ok {
		return made, true
	}
	made, set, ok := b.composite(id, v)
	if !ok {
		return made, false
	}
	for _, f := range v.Fields {
		if slices.Contains(set, f.Name) || isZero(f.Value) {
			continue
		}
		op := slices.IndexFunc(b.table.Ops, func(op seq.Operation) bool {
			return op.Kind == seq.FieldSet && op.Params[0] == id && op.Vars[0] == f.Name
		})
		if op < 0 || len(b.draft.Steps) >= maxValueSteps || slices.Contains(b.dropped, seq.OpID(op)) {
			b.Cut = true
			continue
		}
		if arg, ok := b.value(f.Value); ok && b.fits(arg, b.table.Ops[op].Params[1]) {
			b.step(seq.OpID(op), made, arg)
		} else {
			b.Cut = true
		}
	}
	return made, true
}

// viaPointer makes a struct of which fields are to be set that no composite literal sets: only
// through a pointer they can be. It reports false if there is no such field or no pointer.
func (b *Builder) viaPointer(id seq.TypeID, v consumer.Value) (seq.Arg, bool) {
	pointer, ok := b.TypeID(types.NewPointer(v.Type))
	if !ok || pointer == id {
		return seq.Arg{}, false
	}
	deref, ok := b.find(seq.Index, id, func(op *seq.Operation) bool { return len(op.Params) == 1 && op.Params[0] == pointer })
	if !ok {
		return seq.Arg{}, false
	}
	set := b.fieldsSet(id)
	if !slices.ContainsFunc(v.Fields, func(f consumer.Field) bool { return !isZero(f.Value) && !slices.Contains(set, f.Name) }) {
		return seq.Arg{}, false
	}
	steps, cut := len(b.draft.Steps), b.Cut
	if made, ok := b.structure(pointer, v); ok {
		return b.step(deref, made)
	}
	b.draft.Truncate(steps)
	b.Cut = cut
	return seq.Arg{}, false
}

// fieldsSet returns the fields that the composite literal of a type sets.
func (b *Builder) fieldsSet(id seq.TypeID) []string {
	op, ok := b.fieldsLiteral(id)
	if !ok {
		return nil
	}
	return b.table.Ops[op].Vars
}

// fieldsLiteral returns the operation that makes a composite literal of a type with fields set.
func (b *Builder) fieldsLiteral(id seq.TypeID) (seq.OpID, bool) {
	return b.find(seq.Composite, id, func(op *seq.Operation) bool { return len(op.Vars) > 0 })
}

// composite makes a composite literal that sets fields, or else one that sets none. It returns
// the names of the fields.
func (b *Builder) composite(id seq.TypeID, v consumer.Value) (made seq.Arg, set []string, ok bool) {
	op, ok := b.fieldsLiteral(id)
	if !ok {
		made, ok = b.empty(id)
		return made, nil, ok
	}
	set = b.table.Ops[op].Vars
	parts := make([]consumer.Value, len(set))
	for _, f := range v.Fields {
		if i := slices.Index(set, f.Name); i >= 0 {
			parts[i] = f.Value
		}
	}
	if made, ok = b.filled(op, parts...); !ok {
		made, ok = b.empty(id)
		return made, nil, ok
	}
	return made, set, ok
}

// filled calls an operation that makes a value of its parts, or of their zero values. It adds no
// step if a part has neither.
func (b *Builder) filled(op seq.OpID, parts ...consumer.Value) (seq.Arg, bool) {
	steps, cut := len(b.draft.Steps), b.Cut
	args := make([]seq.Arg, len(parts))
	for i, part := range parts {
		var ok bool
		if args[i], ok = b.valueOrZero(b.table.Ops[op].Params[i], part); !ok {
			b.draft.Truncate(steps)
			b.Cut = cut
			return seq.Arg{}, false
		}
	}
	return b.step(op, args...)
}

// pointer makes a pointer to v.
func (b *Builder) pointer(id seq.TypeID, v consumer.Value) (seq.Arg, bool) {
	if _, ok := v.Type.Underlying().(*types.Struct); ok {
		if arg, ok := b.structure(id, v); ok {
			return arg, true
		}
	}
	elem, ok := b.TypeID(v.Type)
	if !ok {
		return seq.Arg{}, false
	}
	op, ok := b.find(seq.Composite, id, func(op *seq.Operation) bool {
		return op.Shape == seq.Address && op.Params[0] == elem
	})
	if !ok {
		return seq.Arg{}, false
	}
	return b.filled(op, v)
}

// textOf returns the text that a slice of bytes holds, or one with a text as its Basic.
func textOf(v consumer.Value, t *types.Slice) (string, bool) {
	if text, ok := v.Basic.(string); ok {
		return text, true
	}
	if basic, ok := t.Elem().Underlying().(*types.Basic); !ok || basic.Kind() != types.Byte {
		return "", false
	}
	text := make([]byte, len(v.Elems))
	for i, e := range v.Elems {
		c, _ := e.Basic.(uint64)
		text[i] = byte(c)
	}
	return string(text), true
}

// text makes a slice of bytes or runes from a string.
func (b *Builder) text(id seq.TypeID, text string) (seq.Arg, bool) {
	op, ok := b.find(seq.Convert, id, func(op *seq.Operation) bool {
		return len(op.Params) == 1 && b.table.Types[op.Params[0]].Literal == seq.String
	})
	if !ok {
		return seq.Arg{}, false
	}
	arg, ok := b.literal(b.table.Ops[op].Params[0], text)
	if !ok {
		return seq.Arg{}, false
	}
	return b.step(op, arg)
}

// elements makes a slice.
func (b *Builder) elements(id seq.TypeID, elems []consumer.Value) (seq.Arg, bool) {
	op, ok := b.find(seq.Elements, id, func(op *seq.Operation) bool { return op.Variadic && len(op.Params) == 1 })
	if !ok {
		return seq.Arg{}, false
	}
	if len(elems) > engine.MaxStepArgs {
		b.Cut, elems = true, elems[:engine.MaxStepArgs]
	}
	var args []seq.Arg
	for _, e := range elems {
		arg, ok := b.valueOrZero(b.table.Ops[op].Params[0], e)
		if !ok {
			b.Cut = true
			continue
		}
		args = append(args, arg)
	}
	return b.step(op, args...)
}

// array makes an array whose literal takes all elements.
func (b *Builder) array(id seq.TypeID, elems []consumer.Value) (seq.Arg, bool) {
	op, ok := b.find(seq.Elements, id, func(op *seq.Operation) bool { return !op.Variadic && len(op.Params) == len(elems) })
	if !ok {
		return seq.Arg{}, false
	}
	return b.filled(op, elems...)
}

// entries makes a map: of two entries at most at once, and the others one by one, if there is an
// operation that adds one.
func (b *Builder) entries(id seq.TypeID, v consumer.Value) (seq.Arg, bool) {
	for n := min(len(v.Keys), 2); n >= 0; n-- {
		op, ok := b.find(seq.Elements, id, func(op *seq.Operation) bool { return len(op.Params) == 2*n && !op.Variadic })
		if !ok {
			continue
		}
		var parts []consumer.Value
		for i := range n {
			parts = append(parts, v.Keys[i], v.Elems[i])
		}
		if made, ok := b.filled(op, parts...); ok {
			return b.addEntries(id, made, v, n), true
		}
	}
	return seq.Arg{}, false
}

// addEntries adds the entries of a map from number n on.
func (b *Builder) addEntries(id seq.TypeID, made seq.Arg, v consumer.Value, n int) seq.Arg {
	op, ok := b.find(seq.Elements, id, func(op *seq.Operation) bool { return len(op.Params) == 3 && op.Params[0] == id && !op.Variadic })
	for i := n; i < len(v.Keys); i++ {
		if !ok || len(b.draft.Steps) >= maxValueSteps {
			b.Cut = true
			break
		}
		longer, ok := b.filled(op, consumer.Value{Basic: made}, v.Keys[i], v.Elems[i])
		if b.Cut = b.Cut || !ok; ok {
			made = longer
		}
	}
	return made
}
