package record

import (
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// A record is a series of events, each a length and so many bytes:
//
//	kind, number of the call, function, place of the call, number of values, values
//
// A value is the index of its type and a tag, with more after it. Numbers are varints. The
// first index of a type that the record has not had is followed by the text of the type.
const (
	// Kinds of events.
	Entered  byte = 'E'
	Returned byte = 'R'
	Panicked byte = 'P'
	Named    byte = 'V' // no call: the name of a variable, and its value
)

// Tags of values.
const (
	TagUnknown = '?'
	TagNil     = 'n'
	TagBool    = 'b' // 0 or 1
	TagInt     = 'i'
	TagUint    = 'u'
	TagFloat   = 'f' // its bits
	TagComplex = 'c' // … of both parts
	TagString  = 's' // object, text
	TagText    = 't' // object, text: a slice of bytes, a reader of text
	TagList    = 'l' // object, number, values: a slice or array
	TagMap     = 'm' // object, number, keys and values
	TagStruct  = 'r' // object, number, names and values of its exported fields, 1 if the rest is zero
	TagPointer = 'p' // object, value
	TagFunc    = 'F' // object, name, file, line
	TagObject  = 'o' // object
	TagTime    = 'T' // object, seconds since 1970
	TagWrapped = 'w' // text that a reader has yet to read, and the reader
)

// Bounds on an event.
const (
	maxDepth = 6
	MaxElems = 64 // of a list or a map; the rest is left out
	maxNodes = 600
	MaxText  = 32 << 10 // bytes of a text; of a longer one the first
	longText = 4 << 10  // bytes of a text that is written once for each object
	minText  = 8        // bytes of a string that may have an identity
	maxBytes = 256
)

// A log writes events.
type log struct {
	file    *os.File
	bytes   int // written
	buf     []byte
	nodes   int // of the event
	types   map[reflect.Type]int
	fresh   []reflect.Type // types that the event is the first to have
	objects map[identity]uint64
	shapes  map[shape]uint64 // objects that are structs by their bytes
	last    uint64           // object
	long    map[uint64]bool  // objects of which a long text is written
	pins    []any
	events  int
}

// An identity tells objects apart: an address, and for slices and strings a length.
type identity struct {
	typ  reflect.Type
	data unsafe.Pointer
	len  int
}

// A shape is a struct as its bytes have it.
type shape struct {
	typ   reflect.Type
	bytes string
}

func newLog(f *os.File) *log {
	return &log{file: f, types: map[reflect.Type]int{}, objects: map[identity]uint64{}, shapes: map[shape]uint64{}, long: map[uint64]bool{}}
}

// event writes an event. It reports false when there is no room for more.
func (l *log) event(kind byte, c *Call, values []any) bool {
	l.buf, l.nodes, l.fresh = l.buf[:0], 0, l.fresh[:0]
	l.buf = append(l.buf, kind)
	l.uint(c.number)
	l.uint(uint64(c.function))
	l.uint(c.site)
	l.uint(uint64(len(values)))
	for _, v := range values {
		l.value(reflect.ValueOf(v), 0, kind == Returned || kind == Named)
	}
	head := appendUint(nil, uint64(len(l.buf)))
	if l.bytes += len(head) + len(l.buf); l.bytes > maxFile {
		return false
	}
	if _, err := l.file.Write(append(head, l.buf...)); err != nil {
		return false
	}
	if l.events++; l.events%512 == 0 {
		l.forget()
	}
	return true
}

// discard takes back an event that was not written.
func (l *log) discard() {
	for _, t := range l.fresh {
		delete(l.types, t)
	}
}

// forget forgets all identities if too much is kept alive for their sake.
func (l *log) forget() {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	if len(l.pins) < maxPinned && stats.HeapAlloc < maxHeap {
		return
	}
	clear(l.objects)
	clear(l.shapes)
	l.pins = nil
}

// appendUint appends n as package encoding/binary writes a uvarint: that package may be the
// one under test.
func appendUint(b []byte, n uint64) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func (l *log) uint(n uint64) { l.buf = appendUint(l.buf, n) }

// int appends n as a varint: small numbers of both signs are short.
func (l *log) int(n int64) { l.uint(uint64(n)<<1 ^ uint64(n>>63)) }

func (l *log) text(s string) {
	l.uint(uint64(len(s)))
	l.buf = append(l.buf, s...)
}

// head writes the type of a value and its tag.
func (l *log) head(t reflect.Type, tag byte) {
	if t == nil {
		l.uint(0)
	} else {
		i, ok := l.types[t]
		if !ok {
			i = len(l.types) + 1
			l.types[t] = i
			l.fresh = append(l.fresh, t)
		}
		l.uint(uint64(i))
		if !ok {
			l.text(TypeText(t))
		}
	}
	l.buf = append(l.buf, tag)
}

// value writes a value. Objects of results are new ones.
func (l *log) value(v reflect.Value, depth int, result bool) {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if l.nodes++; !v.IsValid() {
		l.head(nil, TagNil)
		return
	}
	t := v.Type()
	if depth > maxDepth || l.nodes > maxNodes {
		l.head(t, TagUnknown)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		l.head(t, TagBool)
		l.buf = append(l.buf, boolByte(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		l.head(t, TagInt)
		l.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		l.head(t, TagUint)
		l.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		l.head(t, TagFloat)
		l.uint(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		l.head(t, TagComplex)
		l.uint(math.Float64bits(real(v.Complex())))
		l.uint(math.Float64bits(imag(v.Complex())))
	case reflect.String:
		l.string(v)
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Func, reflect.Chan:
		l.reference(v, depth, result)
	case reflect.Array:
		l.head(t, TagList)
		l.uint(0)
		l.elements(v, depth, result)
	case reflect.Struct:
		l.structure(v, depth, result)
	default:
		l.head(t, TagUnknown)
	}
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (l *log) string(v reflect.Value) {
	s := v.String()
	id := uint64(0)
	if len(s) >= minText {
		id = l.object(identity{v.Type(), unsafe.Pointer(unsafe.StringData(s)), len(s)}, s)
	}
	l.content(v.Type(), TagString, id, s)
}

// content writes a text with its tag. A long one of an object that was written before is left out.
func (l *log) content(t reflect.Type, tag byte, object uint64, s string) {
	if len(s) > longText && object != 0 {
		if l.long[object] {
			l.head(t, TagObject)
			l.uint(object)
			return
		}
		l.long[object] = true
	}
	l.head(t, tag)
	l.uint(object)
	l.text(s[:min(len(s), MaxText)])
}

// object returns the number of an object. pin keeps it alive.
func (l *log) object(id identity, pin any) uint64 {
	n, ok := l.objects[id]
	if !ok {
		l.last++
		n = l.last
		l.objects[id] = n
		l.pins = append(l.pins, pin)
	}
	return n
}

// reference writes a value that leads to others.
func (l *log) reference(v reflect.Value, depth int, result bool) {
	t := v.Type()
	if v.IsNil() {
		l.head(t, TagNil)
		return
	}
	id := identity{typ: t, data: v.UnsafePointer()}
	switch v.Kind() {
	case reflect.Slice:
		id.len = v.Len()
	case reflect.Func:
		id.data = closure(v)
	}
	n, last := uint64(0), l.last
	if sized(v) {
		n = l.object(id, keep(v))
	}
	switch v.Kind() {
	case reflect.Slice:
		l.slice(v, n, depth, result)
	case reflect.Map:
		l.head(t, TagMap)
		l.uint(n)
		l.entries(v, depth, result)
	case reflect.Pointer:
		if text, ok := contents(v); ok {
			l.content(t, TagText, n, text)
			return
		}
		if n > last && depth == 0 && !result {
			l.wrapped(v)
		}
		l.embedded(v.Elem(), n, result)
		l.head(t, TagPointer)
		l.uint(n)
		l.value(v.Elem(), depth+1, result)
	case reflect.Func:
		l.head(t, TagFunc)
		l.uint(n)
		l.function(v)
	default:
		l.head(t, TagObject)
		l.uint(n)
	}
}

// closure returns the address of a function with the variables that it captures. Functions of
// one func literal have the same code.
func closure(v reflect.Value) unsafe.Pointer {
	if !v.CanInterface() {
		return v.UnsafePointer()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return *(*unsafe.Pointer)(p.UnsafePointer())
}

// function writes the name, the file and the line of a function, empty if they are unknown.
func (l *log) function(v reflect.Value) {
	fn := runtime.FuncForPC(uintptr(v.UnsafePointer()))
	if code := v.Pointer(); code != 0 {
		fn = runtime.FuncForPC(code)
	}
	name, file, line := "", "", 0
	if fn != nil {
		name = fn.Name()
		file, line = fn.FileLine(fn.Entry())
	}
	l.text(name)
	l.text(file)
	l.uint(uint64(line))
}

// embedded gives the structs that v embeds, if it is a struct, the number of the pointer to it:
// their methods are methods of that pointer. So it does with v itself, if it is a result.
func (l *log) embedded(v reflect.Value, object uint64, result bool) {
	if v.Kind() != reflect.Struct || object == 0 {
		return
	}
	if size := v.Type().Size(); size <= maxBytes && result && !v.IsZero() {
		s := shape{v.Type(), string(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), size))}
		if _, ok := l.shapes[s]; !ok {
			l.shapes[s] = object
		}
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).Anonymous {
			continue
		}
		id := identity{}
		switch f := v.Field(i); {
		case f.Kind() == reflect.Pointer && !f.IsNil():
			id = identity{typ: f.Type(), data: f.UnsafePointer()}
		case f.Kind() == reflect.Struct && f.CanAddr():
			id = identity{typ: reflect.PointerTo(f.Type()), data: f.Addr().UnsafePointer()}
		default:
			continue
		}
		if _, ok := l.objects[id]; !ok {
			l.objects[id] = object
		}
	}
}

// keep returns a value that keeps v's object alive.
func keep(v reflect.Value) any {
	if v.CanInterface() {
		return v.Interface()
	}
	return v.UnsafePointer()
}

// sized reports whether an object has an address of its own.
func sized(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		return v.Len() > 0 && v.Type().Elem().Size() > 0
	case reflect.Pointer:
		return v.Type().Elem().Size() > 0
	}
	return true
}

func (l *log) slice(v reflect.Value, object uint64, depth int, result bool) {
	if v.Type().Elem().Kind() != reflect.Uint8 {
		l.head(v.Type(), TagList)
		l.uint(object)
		l.elements(v, depth, result)
		return
	}
	l.content(v.Type(), TagText, object, string(v.Bytes()[:min(v.Len(), MaxText)]))
}

// elements writes the elements of a slice or array; of a long one the first.
func (l *log) elements(v reflect.Value, depth int, result bool) {
	n := min(v.Len(), MaxElems)
	l.uint(uint64(n))
	for i := range n {
		l.value(v.Index(i), depth+1, result)
	}
}

func (l *log) entries(v reflect.Value, depth int, result bool) {
	n := min(v.Len(), MaxElems)
	l.uint(uint64(n))
	for it := v.MapRange(); n > 0 && it.Next(); n-- {
		l.value(it.Key(), depth+1, result)
		l.value(it.Value(), depth+1, result)
	}
	for ; n > 0; n-- { // it shrank
		l.value(reflect.Value{}, 0, result)
		l.value(reflect.Value{}, 0, result)
	}
}

// structure writes a struct. A result is known again by its bytes.
func (l *log) structure(v reflect.Value, depth int, result bool) {
	t := v.Type()
	if t == timeType && v.CanInterface() {
		l.head(t, TagTime)
		l.uint(l.shape(v, v.IsZero(), result))
		l.int(v.Interface().(time.Time).Unix())
		return
	}
	if depth == 0 && !result && v.CanInterface() {
		p := reflect.New(t)
		p.Elem().Set(v)
		l.wrapped(p)
	}
	var names []int
	rest := true
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			names = append(names, i)
		} else if f.Name != "_" {
			rest = rest && v.Field(i).IsZero()
		}
	}
	l.head(t, TagStruct)
	l.uint(l.shape(v, v.IsZero(), result))
	l.uint(uint64(len(names)))
	for _, i := range names {
		l.text(t.Field(i).Name)
		l.value(v.Field(i), depth+1, result)
	}
	l.buf = append(l.buf, boolByte(rest))
}

var timeType = reflect.TypeFor[time.Time]()

// shape returns the number of the result that a struct equals, zero if there is none.
func (l *log) shape(v reflect.Value, zero, result bool) uint64 {
	t := v.Type()
	if zero || t.Size() > maxBytes {
		return 0
	}
	p := v
	if !v.CanAddr() {
		p = reflect.New(t).Elem()
		if !v.CanInterface() {
			return 0
		}
		p.Set(v)
	}
	memory := unsafe.Slice((*byte)(p.Addr().UnsafePointer()), t.Size())
	s := shape{t, string(memory)}
	n, ok := l.shapes[s]
	if !ok && result {
		l.last++
		n = l.last
		l.shapes[s] = n
		l.pins = append(l.pins, keep(v))
	}
	return n
}

// A reader tells its text without losing it.
type reader interface {
	Len() int
	Size() int64
	ReadAt([]byte, int64) (int, error)
}

// contents returns the text that a pointer to a reader of the standard library has yet to read,
// of a long one the first part.
func contents(v reflect.Value) (string, bool) {
	if !v.CanInterface() {
		return "", false
	}
	switch t := v.Type().String(); t {
	case "*strings.Reader", "*bytes.Reader":
		r := v.Interface().(reader)
		buf := make([]byte, min(r.Len(), MaxText))
		n, _ := r.ReadAt(buf, r.Size()-int64(r.Len()))
		return string(buf[:n]), true
	case "*bytes.Buffer":
		b := v.Interface().(interface{ Bytes() []byte }).Bytes()
		return string(b[:min(len(b), MaxText)]), true
	case "*os.File":
		f := v.Interface().(*os.File)
		buf := make([]byte, MaxText)
		n, _ := f.ReadAt(buf, 0)
		return string(buf[:n]), n > 0
	}
	return "", false
}

// wrapped writes the text of a reader that others wrap, before the value to which v points.
func (l *log) wrapped(v reflect.Value) {
	if text, ok := wrappedText(v, 0); ok {
		l.head(nil, TagWrapped)
		l.text(text)
	}
}

// maxWrap is how many readers a reader may be wrapped in for its text to be known.
const maxWrap = 3

// wrappedText returns the text of a reader that the fields of another one, to which v points, lead to.
func wrappedText(v reflect.Value, depth int) (string, bool) {
	if depth > maxWrap || !v.CanInterface() || v.Elem().Kind() != reflect.Struct {
		return "", false
	}
	if _, ok := v.Interface().(interface{ Read([]byte) (int, error) }); !ok {
		return "", false
	}
	for i := range v.Elem().NumField() {
		f := v.Elem().Field(i)
		f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()) // as if it were exported
		if f.Elem().Kind() == reflect.Interface || f.Elem().Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if f.Kind() == reflect.Interface {
			f = f.Elem()
		}
		if f.Kind() != reflect.Pointer || f.IsNil() {
			continue
		}
		if text, ok := contents(f); ok {
			return text, true
		}
		if text, ok := wrappedText(f, depth+1); ok {
			return text, true
		}
	}
	return "", false
}

// TypeText returns a type as Go writes it, with quoted import paths in place of the names of
// packages: `*"container/list".List`.
func TypeText(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return `"` + t.PkgPath() + `".` + typeName(t.Name())
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + TypeText(t.Elem())
	case reflect.Slice:
		return "[]" + TypeText(t.Elem())
	case reflect.Map:
		return "map[" + TypeText(t.Key()) + "]" + TypeText(t.Elem())
	}
	return strings.ReplaceAll(t.String(), "interface {}", "any")
}

// typeName returns the name of a type with its type arguments, in which the package reflect
// writes import paths without quotes.
func typeName(name string) string {
	base, args, ok := strings.Cut(name, "[")
	if !ok {
		return name
	}
	var b strings.Builder
	b.WriteString(base + "[")
	start := 0
	flush := func(end int) {
		word := args[start:end]
		if dot := strings.LastIndexByte(word, '.'); dot > 0 {
			word = `"` + word[:dot] + `".` + word[dot+1:]
		}
		b.WriteString(word)
	}
	for i := range len(args) {
		if strings.IndexByte("[],* ", args[i]) >= 0 {
			flush(i)
			b.WriteByte(args[i])
			start = i + 1
		}
	}
	flush(len(args))
	return b.String()
}
