// Package golit writes values as Go that a test can compare with: []int{1, 2},
// p.Point{X: 1}, io.EOF.
//
// It writes basic values, and slices, arrays, maps and structs of them if their
// types have exported names and all their fields are exported. An error is
// written as its package variable, or as its text. A value that has only a
// String method is written as the text of that, and a long value as its length.
// Pointers, functions and channels are only nil or not.
package golit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// Limits on values that are written in full.
const (
	maxElements = 40
	maxBytes    = 300
	maxDepth    = 4
)

// A Sentinel is a package variable that holds an error.
type Sentinel struct {
	Name string // as Go refers to it
	Err  error
}

// A Writer writes values for one table.
type Writer struct {
	table     *seq.Table
	ids       map[reflect.Type]seq.TypeID
	sentinels []Sentinel
}

// NewWriter returns a Writer that names types as t does. types holds the run-time
// types of t by number, nil for those that have none.
func NewWriter(t *seq.Table, types []reflect.Type, sentinels []Sentinel) *Writer {
	w := &Writer{table: t, ids: map[reflect.Type]seq.TypeID{}}
	for id, rt := range types {
		if _, known := w.ids[rt]; rt != nil && !known {
			w.ids[rt] = seq.TypeID(id)
		}
	}
	name := t.ImportName("io")
	w.sentinels = append(sentinels, Sentinel{name + ".EOF", io.EOF}, Sentinel{name + ".ErrUnexpectedEOF", io.ErrUnexpectedEOF})
	return w
}

var (
	errorType    = reflect.TypeFor[error]()
	stringerType = reflect.TypeFor[fmt.Stringer]()
	address      = regexp.MustCompile(`0x[0-9a-f]{6,16}|m=[+-][0-9]`)
)

// Result says how a test compares a result of static type id that is v.
func (w *Writer) Result(id seq.TypeID, v any) regression.Result {
	ty := &w.table.Types[id]
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return regression.Result{How: regression.Nil}
	}
	if isNil(rv) {
		if ty.Interface { // a nil pointer in an interface, which is not nil
			return regression.Result{}
		}
		return regression.Result{How: regression.Nil}
	}
	if ty.Interface && rv.Type().Implements(errorType) {
		if ty.Std.Has(seq.StdError) {
			return w.err(v.(error))
		}
		if text, ok := textOf(v.(error).Error); ok { // any has no method to call
			return regression.Result{How: regression.Printed, Text: text}
		}
		return regression.Result{How: regression.NotNil}
	}
	return w.value(ty, rv)
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func (w *Writer) err(err error) regression.Result {
	for _, s := range w.sentinels {
		if is(err, s.Err) {
			return regression.Result{How: regression.Sentinel, Text: s.Name}
		}
	}
	if text, ok := textOf(err.Error); ok {
		return regression.Result{How: regression.ErrorText, Text: text}
	}
	return regression.Result{How: regression.NotNil}
}

// is is errors.Is, which may call a method of the code under test.
func is(err, target error) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return errors.Is(err, target)
}

// textOf returns the result of f, quoted. It reports false if f panics, or if
// the result is too long or contains an address or a clock reading.
func textOf(f func() string) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	text = f()
	if len(text) > maxBytes || address.MatchString(text) {
		return "", false
	}
	return seq.QuoteText(text), true
}

func (w *Writer) value(ty *seq.Type, v reflect.Value) regression.Result {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && !ty.Interface && v.Len() > 0 && v.Len() <= maxBytes && isPrintable(v.Bytes()) && !address.Match(v.Bytes()) {
		return regression.Result{How: regression.Bytes, Text: seq.QuoteText(string(v.Bytes()))}
	}
	if c, ok := character(ty, v); ok {
		return regression.Result{How: regression.Equal, Text: strconv.QuoteRune(c)}
	}
	text, ok := w.append(nil, v, ty.Interface, 0)
	switch {
	case ok && len(text) <= maxBytes && (v.Comparable() || v.Kind() == reflect.Slice || v.Kind() == reflect.Map):
		return w.compared(ty, v, string(text))
	case isNaN(v) && !ty.Interface:
		return regression.Result{How: regression.NaN}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		if !ty.Interface && (v.Len() > maxElements || v.Kind() == reflect.String) {
			return regression.Result{How: regression.Len, Text: strconv.Itoa(v.Len())}
		}
	}
	if v.Type().Implements(stringerType) && v.CanInterface() && w.isText(v.Type()) {
		if text, ok := textOf(func() string { return fmt.Sprint(v.Interface()) }); ok {
			return regression.Result{How: regression.Printed, Text: text}
		}
	}
	if ty.Nilable {
		return regression.Result{How: regression.NotNil}
	}
	return regression.Result{}
}

// character returns the printable character that v is, if its static type is byte or rune.
func character(ty *seq.Type, v reflect.Value) (rune, bool) {
	switch v.Kind() {
	case reflect.Int32:
		return ty.Character(v.Int())
	case reflect.Uint8:
		return ty.Character(v.Uint())
	}
	return 0, false
}

// compared says how a value with the given text is compared.
func (w *Writer) compared(ty *seq.Type, v reflect.Value, text string) regression.Result {
	switch kind := v.Kind(); {
	case kind != reflect.Slice && kind != reflect.Map:
		return regression.Result{How: regression.Equal, Text: text}
	case v.Len() == 0 && !ty.Interface:
		return regression.Result{How: regression.Len, Text: "0"}
	case ty.Interface || !equatable(v.Type().Elem()) || !comparableElements(v):
		return regression.Result{How: regression.Deep, Text: text}
	case kind == reflect.Map:
		return regression.Result{How: regression.Map, Text: text}
	}
	return regression.Result{How: regression.Slice, Text: text}
}

// comparableElements reports whether == does not panic on the elements of a slice or map: those
// of type any may be slices.
func comparableElements(v reflect.Value) bool {
	for _, elem := range v.Seq2() {
		if !elem.Comparable() {
			return false
		}
	}
	return true
}

// Content returns the comparison of the elements of a slice, map or array, or
// of a pointer to one, that a call may have changed.
func (w *Writer) Content(id seq.TypeID, v any) regression.Result {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() || isNil(rv) {
		return regression.Result{}
	}
	elem := rv
	if rv.Kind() == reflect.Pointer {
		elem = rv.Elem()
	}
	switch elem.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
	default:
		return regression.Result{}
	}
	if r := w.Result(id, v); elem == rv && r.How != regression.NotNil {
		return r
	}
	if !Refers(elem.Type().Elem()) && elem.Len() <= maxElements && !(elem.Kind() == reflect.Map && holdsInterface(elem.Type().Key())) {
		if text, ok := textOf(func() string { return fmt.Sprint(v) }); ok {
			return regression.Result{How: regression.Printed, Text: text}
		}
	}
	return regression.Result{}
}

// isPrintable reports whether bytes are text that people can read.
func isPrintable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' })
}

// equatable reports whether == compares values of type t by their written
// content.
func equatable(t reflect.Type) bool { return t.Comparable() && !Refers(t) }

// Refers reports whether values of type t refer to others, or to code, which == on
// them would compare by address.
func Refers(t reflect.Type) bool {
	return holds(t, reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Map, reflect.Slice)
}

// holdsInterface reports whether values of type t hold any of several types. Package fmt orders
// keys of several types by the addresses of these, which each binary has others of.
func holdsInterface(t reflect.Type) bool { return holds(t, reflect.Interface) }

// holds reports whether values of type t, or parts of them in place, are of one of some kinds.
func holds(t reflect.Type, kinds ...reflect.Kind) bool {
	switch {
	case slices.Contains(kinds, t.Kind()):
		return true
	case t.Kind() == reflect.Array:
		return holds(t.Elem(), kinds...)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if holds(t.Field(i).Type, kinds...) {
				return true
			}
		}
	}
	return false
}

// isText reports whether the String method of a type shows its content. It does
// if the type holds no pointer, or is one of the standard library.
func (w *Writer) isText(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer {
		return !Refers(t) || isStandard(t)
	}
	return isStandard(t.Elem())
}

func isStandard(t reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	return first != "" && first != "main" && !strings.Contains(first, ".")
}

func isNaN(v reflect.Value) bool {
	return (v.Kind() == reflect.Float64 || v.Kind() == reflect.Float32) && math.IsNaN(v.Float())
}

// List returns a slice as a composite literal to compare with by slices.Equal, and its type.
func (w *Writer) List(v reflect.Value) (text, typ string, ok bool) {
	name, ok := w.typeName(v.Type())
	if !ok {
		return "", "", false
	}
	b, ok := w.append(nil, v, false, 0)
	if v.IsNil() {
		b = []byte(name + "{}")
	}
	return string(b), name, ok && len(b) <= maxBytes && comparableElements(v)
}

// append appends v. typed says that the text must say the type, since nothing
// around it does. It reports false if v cannot be written.
func (w *Writer) append(dst []byte, v reflect.Value, typed bool, depth int) ([]byte, bool) {
	if len(dst) > maxBytes || depth > maxDepth {
		return dst, false
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64:
		return w.appendBasic(dst, v, typed)
	case reflect.Interface:
		if v.IsNil() {
			return append(dst, "nil"...), true
		}
		return w.append(dst, v.Elem(), true, depth)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(dst, "nil"...), !typed
		}
		if v.Len() > maxElements {
			return dst, false
		}
	}
	name, ok := w.typeName(v.Type())
	if !ok {
		return dst, false
	}
	dst = append(append(dst, name...), '{')
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		dst, ok = w.appendElements(dst, v, depth)
	case reflect.Map:
		dst, ok = w.appendEntries(dst, v, depth)
	case reflect.Struct:
		dst, ok = w.appendFields(dst, v, depth)
	default:
		ok = false
	}
	return append(dst, '}'), ok
}

func (w *Writer) appendElements(dst []byte, v reflect.Value, depth int) ([]byte, bool) {
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		var ok bool
		if dst, ok = w.append(dst, v.Index(i), false, depth+1); !ok {
			return dst, false
		}
	}
	return dst, true
}

func (w *Writer) appendEntries(dst []byte, v reflect.Value, depth int) ([]byte, bool) {
	var entries []string
	for it := v.MapRange(); it.Next(); {
		key, ok := w.append(nil, it.Key(), false, depth+1)
		if !ok || Refers(it.Key().Type()) {
			return dst, false
		}
		value, ok := w.append(nil, it.Value(), false, depth+1)
		if !ok {
			return dst, false
		}
		entries = append(entries, string(key)+": "+string(value))
	}
	sort.Strings(entries)
	return append(dst, strings.Join(entries, ", ")...), true
}

// appendFields appends the fields that are not zero.
func (w *Writer) appendFields(dst []byte, v reflect.Value, depth int) ([]byte, bool) {
	more := false
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			return dst, false
		}
		if v.Field(i).IsZero() {
			continue
		}
		if more {
			dst = append(dst, ", "...)
		}
		more = true
		var ok bool
		if dst, ok = w.append(append(append(dst, f.Name...), ": "...), v.Field(i), false, depth+1); !ok {
			return dst, false
		}
	}
	return dst, true
}

// appendBasic appends a value of a basic kind.
func (w *Writer) appendBasic(dst []byte, v reflect.Value, typed bool) ([]byte, bool) {
	convert := typed && v.Type().PkgPath() != ""
	switch v.Kind() {
	case reflect.Int, reflect.Bool, reflect.String:
	default:
		convert = typed && v.Type() != reflect.TypeFor[float64]()
	}
	if convert {
		name, ok := w.typeName(v.Type())
		if !ok {
			return dst, false
		}
		dst = append(append(dst, name...), '(')
	}
	ok := true
	switch v.Kind() {
	case reflect.Bool:
		dst = strconv.AppendBool(dst, v.Bool())
	case reflect.String:
		dst, ok = append(dst, seq.QuoteText(v.String())...), !address.MatchString(v.String())
	case reflect.Float32, reflect.Float64:
		dst, ok = w.appendFloat(dst, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		dst = strconv.AppendInt(dst, v.Int(), 10)
	default:
		dst = strconv.AppendUint(dst, v.Uint(), 10)
	}
	if convert {
		return append(dst, ')'), ok
	}
	return dst, ok
}

func (w *Writer) appendFloat(dst []byte, v reflect.Value) ([]byte, bool) {
	f, bits := v.Float(), v.Type().Bits()
	if math.IsNaN(f) || math.IsInf(f, 0) && bits == 32 {
		return dst, false
	}
	return w.table.AppendFloat(dst, f+0, bits), !math.IsInf(f, 0) || v.Type().PkgPath() == "" // -0 is written as 0
}

// typeName returns how Go names a type in a test.
func (w *Writer) typeName(t reflect.Type) (string, bool) {
	if id, known := w.ids[t]; known && !w.table.Types[id].Hidden {
		return w.table.Types[id].Name, true
	}
	if t.Name() != "" {
		return t.Name(), t.PkgPath() == "" // else one that the table does not name
	}
	elem := func(prefix string) (string, bool) {
		name, ok := w.typeName(t.Elem())
		return prefix + name, ok
	}
	switch t.Kind() {
	case reflect.Slice:
		return elem("[]")
	case reflect.Array:
		return elem("[" + strconv.Itoa(t.Len()) + "]")
	case reflect.Pointer:
		return elem("*")
	case reflect.Map:
		key, ok := w.typeName(t.Key())
		if !ok {
			return "", false
		}
		return elem("map[" + key + "]")
	case reflect.Interface:
		return "any", t.NumMethod() == 0
	}
	return "", false
}
