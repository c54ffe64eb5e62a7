package blame

import (
	"reflect"
	"strconv"

	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// Facts describe a step that panicked or that the process died in.
type Facts struct {
	Table *seq.Table
	Op    seq.OpID
	Value any // the recovered value
	Args  []ArgFact
	// Frames are the calls from the panic, innermost first, up to but not
	// including the adapter. Frames of the runtime may be among them.
	Frames []Frame
	// Steps is the sequence up to the step in question, which is its last one.
	// For a call that a contract makes, the executor appends that call.
	Steps seq.Sequence
	// Values are the results of the steps before, by slot, as they are now. It may be
	// short or nil: missing values are unknown.
	Values []any
	// All has every rule and limit look: see engine.Crash.
	All bool
}

// A Frame is one call on a stack.
type Frame = godump.Frame

// An ArgFact describes one argument.
type ArgFact struct {
	Nil   bool // a nil pointer, map, func, channel or interface; a nil slice is an empty slice
	Value any  // of a basic kind, named or not: bool, int64, uint64, float64 or string
	Len   int  // of a string, slice, array, map or channel, or of the one that a pointer leads to
}

// Describe returns the facts about argument v.
func Describe(v any) ArgFact {
	if v == nil {
		return ArgFact{Nil: true}
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Bool:
		return ArgFact{Value: r.Bool()}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ArgFact{Value: r.Int()}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return ArgFact{Value: r.Uint()}
	case reflect.Float32, reflect.Float64:
		return ArgFact{Value: r.Float()}
	case reflect.String:
		return ArgFact{Value: r.String(), Len: r.Len()}
	case reflect.Slice, reflect.Array:
		return ArgFact{Len: r.Len()}
	case reflect.Map, reflect.Chan:
		return ArgFact{Nil: r.IsNil(), Len: r.Len()}
	case reflect.Func:
		return ArgFact{Nil: r.IsNil()}
	case reflect.Pointer:
		if r.IsNil() {
			return ArgFact{Nil: true}
		}
		switch e := r.Elem(); e.Kind() {
		case reflect.Slice, reflect.Array, reflect.Map:
			return ArgFact{Len: e.Len()}
		}
	}
	return ArgFact{}
}

// IsNil reports whether v is nil in the sense of ArgFact.
func IsNil(v any) bool { return Describe(v).Nil }

// Int returns the argument as an integer, if it is one. A uint64 past the
// largest int64 comes out negative, as it does where code converts it to int.
func (a ArgFact) Int() (int64, bool) {
	switch n := a.Value.(type) {
	case int64:
		return n, true
	case uint64:
		return int64(n), true
	}
	return 0, false
}

// TextOf returns the text of a panic value or an error. The methods of the value are code
// under test, and may panic themselves.
func TextOf(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = reflect.TypeOf(v).String()
		}
	}()
	switch x := v.(type) {
	case nil:
		return "nil"
	case error:
		return x.Error()
	case interface{ String() string }:
		return x.String()
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return r.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(r.Uint(), 10)
	}
	return "value of type " + reflect.TypeOf(v).String()
}
