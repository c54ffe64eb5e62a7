package contract

import (
	"reflect"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

// An operation is the operation that a property calls. It is zero if there is none.
type operation struct {
	*seq.Operation
	id seq.OpID
}

func (o operation) exists() bool { return o.Operation != nil }

// argument returns the argument of a property that calls o.
func (o operation) argument() property.Argument {
	return property.Argument{Call: func(args []string) string { return expr(o.Operation, args...) }, Results: len(o.Results)}
}

// law returns a law of the calls of o, which blames o. doc may end in a citation of no documentation.
func (o operation) law(name string, claim engine.Claim, doc string) Law {
	return Law{Name: name, On: o.id, Op: o.id, Claim: claim, Doc: strings.TrimSuffix(doc, ". ")}
}

// checked returns l with a check that needs nothing seen before the call.
func (l Law) checked(check func(c *Call) *Breach) Law {
	l.Check = func(c *Call, _ any) *Breach { return check(c) }
	return l
}

// blaming returns l as one that blames another operation.
func (l Law) blaming(o operation) Law {
	l.Op = o.id
	return l
}

// changing returns l as one that calls what may change values.
func (l Law) changing() Law {
	l.Changes = true
	return l
}

// call calls o for a property. If the call panics, is refused or has a nil receiver,
// the property ends without a verdict: see [completes].
func (o operation) call(c Caller, args []any) []any {
	if len(args) > 0 && blame.IsNil(args[0]) {
		panic(silence)
	}
	results, panicked := c.Call(o.id, args...)
	if panicked != nil {
		panic(silence)
	}
	return results
}

// all returns o as a function of all results. The others are of the first result,
// converted from any named type, and error is of the last.
func (o operation) all(c Caller) func(...any) []any {
	return func(args ...any) []any { return o.call(c, args) }
}

func (o operation) any(c Caller) func(...any) any {
	return func(args ...any) any { return o.call(c, args)[0] }
}

func (o operation) both(c Caller) func(...any) (any, error) {
	return func(args ...any) (any, error) {
		results := o.call(c, args)
		err, _ := results[1].(error)
		return results[0], err
	}
}

func (o operation) bool(c Caller) func(...any) bool {
	return func(args ...any) bool { return converted[bool](o.call(c, args)[0]) }
}

func (o operation) int(c Caller) func(...any) int {
	return func(args ...any) int {
		n, ok := blame.Describe(o.call(c, args)[0]).Int()
		if !ok {
			panic(silence)
		}
		return int(n)
	}
}

func (o operation) bytes(c Caller) func(...any) []byte {
	return func(args ...any) []byte { return converted[[]byte](o.call(c, args)[0]) }
}

func (o operation) list(c Caller) func(...any) []any {
	return func(args ...any) []any {
		list, ok := elements(o.call(c, args)[0])
		if !ok {
			panic(silence)
		}
		return list
	}
}

func (o operation) error(c Caller) func(...any) error {
	return func(args ...any) error {
		results := o.call(c, args)
		err, _ := results[len(results)-1].(error)
		return err
	}
}

// said returns what f says, a form of an operation. It reports false if f ends without a verdict.
func said[T any](f func(...any) T, args ...any) (v T, ok bool) {
	ok = completes(func() { v = f(args...) })
	return v, ok
}

// converted returns v as a T.
func converted[T any](v any) T {
	x, ok := v.(T)
	if !ok {
		if x, ok = blame.Describe(v).Value.(T); !ok {
			panic(silence)
		}
	}
	return x
}

// silence is the panic value by which a property ends without a verdict.
const silence = "contract: nothing can be said"

// completes runs f and reports whether it came to its end: code under test that panics, of
// which others judge, or silence, ends it before.
func completes(f func()) (ended bool) {
	defer func() { ended = recover() == nil && ended }()
	f()
	return true
}

// fails reports whether a property does not hold.
func fails(p func() bool) bool {
	holds := true
	return completes(func() { holds = p() }) && !holds
}

// A term is an argument of a property: its value in the worker, and its text in a
// test.
type term[T any] struct {
	value T
	text  written
}

// written is the form of a term in a test.
type written struct {
	property.Argument
	of   func() string // the text, if it names a value of the call
	look *look         // that the term is, if it is one
}

// A look is a value that a law saw before the call: the result of a function of
// package property.
type look struct {
	value any
	fn    any
	args  []written
}

// argument returns the argument of a property for a term in the text of a breach.
func (c *Call) argument(w written) property.Argument {
	switch {
	case w.look != nil:
		return property.Argument{Text: c.Table.VariableName("before")}
	case w.of != nil:
		return property.Argument{Text: w.of()}
	}
	return w.Argument
}

// write returns the text of a function of package property.
func (c *Call) write(p any, args []written) string {
	list := make([]property.Argument, len(args))
	for i, a := range args {
		list[i] = c.argument(a)
	}
	return property.Text(c.Table.ImportName, p, list...)
}

// breach returns that p does not hold.
func (c *Call) breach(p any, args ...written) *Breach {
	b := &Breach{}
	for _, a := range args {
		if a.look != nil && b.Before == "" {
			b.Before = c.write(a.look.fn, a.look.args)
		}
	}
	b.Assert = c.write(p, args)
	return b
}

// says sets the detail of b and returns it, if b is not nil.
func (b *Breach) says(detail string) *Breach {
	if b != nil {
		b.Detail = detail
	}
	return b
}

// in returns argument i of the call, out result i, at slot n.
func (c *Call) in(i int) term[any]  { return input[any](c, i) }
func (c *Call) out(i int) term[any] { return output[any](c, i) }
func (c *Call) at(n int32) term[any] {
	return term[any]{c.vals[n], written{of: func() string { return c.slot(n) }}}
}

// input has a value of a named type as the parameter has it: a json.RawMessage may be
// given for a []byte.
func input[T any](c *Call, i int) term[T] {
	v, ok := c.Args[i].(T)
	if given := reflect.ValueOf(c.Args[i]); !ok && given.IsValid() && given.Type().AssignableTo(reflect.TypeFor[T]()) {
		v = given.Convert(reflect.TypeFor[T]()).Interface().(T)
	}
	return term[T]{v, written{of: func() string { return c.arg(i) }}}
}

func output[T any](c *Call, i int) term[T] {
	v, _ := c.Results[i].(T)
	return term[T]{v, written{of: func() string { return c.result(i) }}}
}

// given returns a function with a text of its own for its calls.
func given[F any](f F, text func(args []string) string) term[F] {
	return term[F]{f, written{Argument: property.Argument{Call: text}}}
}

// texts returns the texts of the arguments of the call, from one on.
func (c *Call) texts(from int) []string {
	var list []string
	for i := from; i < len(c.step().Args); i++ {
		list = append(list, c.arg(i))
	}
	return list
}

// shown returns all results of the call as fmt.Sprint has them, and c.shows an operation
// of such.
func (c *Call) shown() (term[any], bool) {
	text, ok := sprint(c.Results...)
	return term[any]{text, written{of: func() string {
		texts := make([]string, len(c.Results))
		for i := range texts {
			texts[i] = c.result(i)
		}
		return strings.Join(texts, ", ")
	}}}, ok
}

func (c *Call) shows(o operation) term[func(...any) any] {
	call := o.all(c)
	return calls(func(args ...any) any {
		text, ok := sprint(call(args...)...)
		if !ok {
			panic(silence)
		}
		return text
	}, o)
}

// shownBy returns what an operation of [Call.shows] or [Call.lookers] says of v.
func shownBy(show term[func(...any) any], v any) (text string, ok bool) {
	ok = completes(func() { text = property.Shown(show.value, v) })
	return text, ok
}

// literal returns a term with a text of its own.
func literal[T any](v T, text string) term[T] {
	return term[T]{v, written{Argument: property.Argument{Text: text}}}
}

// wholeNumber returns an integer as a term.
func wholeNumber(n int) term[int] { return literal(n, strconv.Itoa(n)) }

// before returns the value that a law saw before the call.
func before[T any](seen any) term[T] {
	l := seen.(*look)
	v, _ := l.value.(T)
	return term[T]{v, written{look: l}}
}

// calls returns operation o, which f calls in the worker.
func calls[F any](f F, o operation) term[F] { return term[F]{f, written{Argument: o.argument()}} }

func (c *Call) bool(o operation) term[func(...any) bool]    { return calls(o.bool(c), o) }
func (c *Call) int(o operation) term[func(...any) int]      { return calls(o.int(c), o) }
func (c *Call) any(o operation) term[func(...any) any]      { return calls(o.any(c), o) }
func (c *Call) all(o operation) term[func(...any) []any]    { return calls(o.all(c), o) }
func (c *Call) listed(o operation) term[func(...any) []any] { return calls(o.list(c), o) }

// error returns o as a function of its last result.
func (c *Call) error(o operation) term[func(...any) error] {
	if len(o.Results) == 1 {
		return calls(o.error(c), o)
	}
	blanks := strings.Repeat("_, ", len(o.Results)-1)
	return given(o.error(c), func(args []string) string {
		return "func() error { " + blanks + "err := " + expr(o.Operation, args...) + "; return err }()"
	})
}

// check returns nil if holds, which is property p of args, says true or has no verdict.
func (c *Call) check(holds func() bool, p any, args ...written) *Breach {
	if !completes(func() { c.answered = holds() }) || c.answered {
		return nil
	}
	return c.breach(p, args...)
}

// These check a property on the call.
func check1[A any](c *Call, p func(A) bool, a term[A]) *Breach {
	return c.check(func() bool { return p(a.value) }, p, a.text)
}

func check2[A, B any](c *Call, p func(A, B) bool, a term[A], b term[B]) *Breach {
	return c.check(func() bool { return p(a.value, b.value) }, p, a.text, b.text)
}

func check3[A, B, C any](c *Call, p func(A, B, C) bool, a term[A], b term[B], d term[C]) *Breach {
	return c.check(func() bool { return p(a.value, b.value, d.value) }, p, a.text, b.text, d.text)
}

func check4[A, B, C, D any](c *Call, p func(A, B, C, D) bool, a term[A], b term[B], d term[C], e term[D]) *Breach {
	return c.check(func() bool { return p(a.value, b.value, d.value, e.value) }, p, a.text, b.text, d.text, e.text)
}

func check5[A, B, C, D, E any](c *Call, p func(A, B, C, D, E) bool, a term[A], b term[B], d term[C], e term[D], f term[E]) *Breach {
	return c.check(func() bool { return p(a.value, b.value, d.value, e.value, f.value) }, p, a.text, b.text, d.text, e.text, f.text)
}

func check6[A, B, C, D, E, F any](c *Call, p func(A, B, C, D, E, F) bool, a term[A], b term[B], d term[C], e term[D], f term[E], g term[F]) *Breach {
	return c.check(func() bool { return p(a.value, b.value, d.value, e.value, f.value, g.value) }, p, a.text, b.text, d.text, e.text, f.text, g.text)
}

func check7[A, B, C, D, E, F, G any](c *Call, p func(A, B, C, D, E, F, G) bool, a term[A], b term[B], d term[C], e term[D], f term[E], g term[F], h term[G]) *Breach {
	return c.check(func() bool { return p(a.value, b.value, d.value, e.value, f.value, g.value, h.value) }, p, a.text, b.text, d.text, e.text, f.text, g.text, h.text)
}

// These look before the call. They report false if nothing can be seen.
func look1[A, R any](p func(A) R, a term[A]) (any, bool) {
	l := &look{fn: p, args: []written{a.text}}
	return l, completes(func() { l.value = p(a.value) })
}

func look2[A, B, R any](p func(A, B) R, a term[A], b term[B]) (any, bool) {
	l := &look{fn: p, args: []written{a.text, b.text}}
	return l, completes(func() { l.value = p(a.value, b.value) })
}
