// Package contract holds the properties that the values and calls of any Go API should have.
//
// A [Contract] is a property of values, a [Law] is a property of one call. [Bind] and [Laws]
// find those that apply to a table, by names, signatures and documentation. For instance, a
// type with methods Put and Get has the law put-get, which looks at the last call of
//
//	v0 := cache.New()
//	v0.Put("a", 1)
//
// and then calls v0.Get("a"), which must return 1. The properties themselves are functions of
// package property. Package blame finds the reasons why a violation may be the caller's doing.
//
// Some contracts are those of [Pacheco09 §7.3]. Calls go through a [Caller], and the package
// imports little: every worker links it.
package contract

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// A Contract is a property that values of a type should have, whatever calls
// made them. It is a plain value; [Bind] lists those that apply to a table.
type Contract struct {
	Name  string
	Arity int          // how many values Holds takes, all of type Type
	Claim engine.Claim // of a violation by values without taint
	Doc   string       // the sentence that says so, and where it stands
	Cites []seq.OpID   // operations that Doc quotes
	Type  seq.TypeID
	Op    seq.OpID // the operation to blame
	// Assert returns a Go expression over $0, $1 … that must be true, for the emitted
	// test. It is nil for a contract that a test hands over as a function. Only a verdict asks for
	// it: to write it takes the sources of all properties, which are parsed then.
	Assert func() string
	Cost   Cost
	// Fit says that it is held in sequences only in which no operation is [Unfit].
	Fit bool
	// Holds reports whether the property holds for v, and what was seen if not.
	// If a call panics it stops and returns true: the panic is not its to judge
	// (the caller saw it, and has [blame.Panic]). Only an invariant, which exists to
	// panic, returns false for it.
	Holds func(c Caller, v []any) (ok bool, detail string)
}

// A Cost says how the time of a contract grows.
type Cost uint8

// Constant contracts read a field or two, Linear ones may walk the whole value:
// run those on a sample.
const (
	Constant Cost = iota
	Linear
)

// A Caller calls operations: the executor, by its adapters. A panic is recovered
// and returned. The results are valid until the next call.
type Caller interface {
	Call(op seq.OpID, args ...any) (results []any, panicked any)
}

// Assertion returns what Assert does, and an empty text without it.
func (c *Contract) Assertion() string {
	if c.Assert == nil {
		return ""
	}
	return c.Assert()
}

// Signature returns the signature of the contract's verdicts.
func (c *Contract) Signature(t *seq.Table) engine.Signature {
	op := &t.Ops[c.Op]
	if op.Kind == seq.Check {
		return engine.Signature{Kind: engine.KindContract, Class: c.Name, Where: t.Types[c.Type].Name}
	}
	return signature(c.Name, op)
}

// Verdict returns the verdict for a contract that does not hold for the values of
// slots, which s has made.
func (c *Contract) Verdict(t *seq.Table, s seq.Sequence, slots []int32, detail string) engine.Verdict {
	v := violation(c.Signature(t), c.Op, c.Claim, c.Doc, detail, c.doubt(t, s, slots))
	v.Assert, v.Slots = c.Assertion(), slots
	return *v
}

// violation returns the verdict for a property that does not hold. sentence promises the property,
// detail is what was seen, and doubt why the caller may be to blame.
func violation(sig engine.Signature, op seq.OpID, claim engine.Claim, sentence, detail string, doubt engine.Ruling) *engine.Verdict {
	doubt.Reason += "; " + sentence
	v := &engine.Verdict{
		Claim: claim, Kind: engine.KindContract, Op: op, Signature: sig, Contract: sig.Class,
		Message: blame.OneLine("contract " + sig.Class + " does not hold: " + detail),
	}
	return v.Settle(engine.Ruling{Tier: engine.Error, Rule: sig.Class, Reason: sentence}, doubt)
}

// doubt returns why the violation may be the caller's doing, if it may.
func (c *Contract) doubt(t *seq.Table, s seq.Sequence, slots []int32) engine.Ruling {
	if c.Claim == engine.ClaimOwn {
		return engine.Ruling{}
	}
	h := blame.NewHistory(t, s, nil, len(s)).About(slots)
	if r := h.Doubt(); r.Rule != "" {
		return r
	}
	if c.compares() && h.MadeOfNaN() {
		return blame.Doubt("NaN", "a value was made of NaN, which is not equal to itself")
	}
	for _, n := range slots[:min(len(slots), s.Slots(t))] {
		if why := h.Unchecked(n); why != "" {
			return blame.Doubt("unchecked", why)
		}
	}
	return engine.Ruling{}
}

// compares reports whether the property is one of an equality or an order.
func (c *Contract) compares() bool {
	for _, prefix := range []string{"equal-", "copy-equal", "compare-", "less-", "sort-"} {
		if strings.HasPrefix(c.Name, prefix) {
			return true
		}
	}
	return false
}

// families are the kinds of contracts, in the order in which they are bound.
// Each adds the contracts of its kind that the API allows.
var families = []func(a *api, add func(...Contract)){
	own,
	invariants,
	equality,
	ordering,
	hashing,
	sizes,
	copies,
	printing,
}

// Bind returns the contracts that apply to the types of t, found by the names and
// signatures of its operations. Operations documented to panic or to wait are
// left out: their types say otherwise.
func Bind(t *seq.Table) []Contract {
	a := newAPI(t)
	var all []Contract
	for _, family := range families {
		family(a, func(list ...Contract) { all = append(all, list...) })
	}
	return slices.DeleteFunc(all, func(c Contract) bool { return slices.Contains(t.Ops[c.Op].Ignore, c.Name) })
}

// expr returns the Go text of a call of op with the given arguments, the variadic
// ones among them.
func expr(op *seq.Operation, args ...string) string {
	var b strings.Builder
	text := op.Template
	for i := 0; i < len(text); i++ {
		if text[i] == '$' && i+1 < len(text) {
			if n := int(text[i+1] - '0'); n < min(10, len(args)) {
				b.WriteString(args[n])
				i++
				continue
			}
			if text[i+1] == '*' {
				b.WriteString(strings.Join(args[min(len(args), max(0, len(op.Params)-1)):], ", "))
				i++
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// holdsFloat reports whether v reaches a floating-point number, or one that is
// NaN if nan is set; holdsFunc whether it reaches a non-nil func. Equality of such
// values follows rules of its own. Both stop after some thousand values; they run
// only when a contract has failed.
func holdsFloat(nan bool, v ...any) bool {
	return reaches(v, func(r reflect.Value) bool {
		switch r.Kind() {
		case reflect.Float32, reflect.Float64:
			return !nan || math.IsNaN(r.Float())
		case reflect.Complex64, reflect.Complex128:
			c := r.Complex() // of which cmplx.IsNaN says no if one part is infinite
			return !nan || math.IsNaN(real(c)) || math.IsNaN(imag(c))
		}
		return false
	})
}

func holdsFunc(v ...any) bool {
	return reaches(v, func(r reflect.Value) bool { return r.Kind() == reflect.Func && !r.IsNil() })
}

func reaches(values []any, found func(reflect.Value) bool) bool {
	left := 10000
	seen := map[uintptr]bool{}
	var walk func(r reflect.Value) bool
	walk = func(r reflect.Value) bool {
		if left--; left < 0 || !r.IsValid() {
			return false
		}
		if found(r) {
			return true
		}
		switch r.Kind() {
		case reflect.Pointer:
			if r.IsNil() || leadsNowhere(r) || seen[r.Pointer()] {
				return false
			}
			seen[r.Pointer()] = true
			return walk(r.Elem())
		case reflect.Interface:
			return walk(r.Elem())
		case reflect.Struct:
			for i := 0; i < r.NumField(); i++ {
				if walk(r.Field(i)) {
					return true
				}
			}
		case reflect.Slice, reflect.Array:
			for i := 0; i < r.Len() && left > 0; i++ {
				if walk(r.Index(i)) {
					return true
				}
			}
		case reflect.Map:
			for it := r.MapRange(); it.Next() && left > 0; {
				if walk(it.Key()) || walk(it.Value()) {
					return true
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(values, func(v any) bool { return walk(reflect.ValueOf(v)) })
}

// nowhere is the address of all values without size.
var nowhere = reflect.New(reflect.TypeFor[struct{}]()).Pointer()

// leadsNowhere reports whether v is a pointer into an empty array, as
// unsafe.SliceData returns it.
func leadsNowhere(v reflect.Value) bool { return v.Kind() == reflect.Pointer && v.Pointer() == nowhere }
