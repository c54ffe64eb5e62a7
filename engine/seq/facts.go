package seq

import (
	"strconv"
	"strings"
)

// A TypeKind is the kind of a type, as in package reflect. A declared type has the kind
// of its underlying type.
type TypeKind uint8

// The kinds of types. The zero kind is unknown, or unsafe.Pointer.
const (
	BasicType TypeKind = iota + 1
	PointerType
	SliceType
	ArrayType
	MapType
	ChanType
	FuncType
	StructType
	InterfaceType
)

// Is reports whether ty is the type that package path declares as name: "io" and
// "Reader". The path of predeclared types is empty.
func (ty *Type) Is(path, name string) bool {
	return ty.Base == name && ty.Path == path && (ty.Kind != PointerType || ty.Elem == "")
}

// PointsTo reports whether ty is a pointer to the type that package path declares as name.
func (ty *Type) PointsTo(path, name string) bool {
	return ty.Kind == PointerType && ty.Elem != "" && ty.Base == name && ty.Path == path
}

// Literally reports whether ty is a type without a name, such as []int or func(), of kind k.
func (ty *Type) Literally(k TypeKind) bool { return ty.Kind == k && ty.Base == "" }

// IsPointer reports whether ty is a pointer type without a name: *T.
func (ty *Type) IsPointer() bool { return ty.Kind == PointerType && ty.Elem != "" }

// Of reports whether ty is a type without a name of kind k, a pointer or a slice, and elem is that
// of its elements.
func (ty *Type) Of(k TypeKind, elem *Type) bool {
	return ty.Kind == k && ty.Elem == elem.Name && (k == PointerType || ty.Base == "")
}

// IsAny reports whether ty is the type any.
func (ty *Type) IsAny() bool { return ty.Name == "any" }

// IsBytes reports whether ty is []byte.
func (ty *Type) IsBytes() bool {
	return ty.Literally(SliceType) && (ty.Elem == "byte" || ty.Elem == "uint8")
}

// IsText reports whether values of ty are sources of text or bytes.
func (ty *Type) IsText() bool { return ty.Literal == String || ty.IsBytes() || ty.Is("io", "Reader") }

// literalKinds are the kinds of literals of the predeclared types, by their names without a width.
var literalKinds = map[string]LiteralKind{
	"bool": Bool, "int": Int, "uint": Uint, "uintptr": Uint, "float": Float, "complex": Complex, "string": String,
}

// LiteralOf returns which literals a predeclared type takes, and their width in bits. word is
// that of an int.
func LiteralOf(name string, word uint8) (LiteralKind, uint8) {
	stem := strings.TrimRight(name, "0123456789")
	switch kind := literalKinds[stem]; {
	case kind == NoLiteral || kind == Bool || kind == String:
		return kind, 0
	case name == "uintptr":
		return kind, 64
	case name == stem:
		return kind, word
	default:
		bits, _ := strconv.Atoi(name[len(stem):])
		return kind, uint8(bits)
	}
}

// KindOf returns the kind of the literals with a value such as v, NoLiteral for nil.
func KindOf(v any) LiteralKind {
	switch v.(type) {
	case bool:
		return Bool
	case int64:
		return Int
	case uint64:
		return Uint
	case float64:
		return Float
	case complex128:
		return Complex
	case string:
		return String
	}
	return NoLiteral
}

// Fits reports whether v, which is of the kind of ty, needs no more bits than ty has.
func (ty *Type) Fits(v any) bool {
	shift := 64 - min(uint(ty.Bits), 64)
	if ty.Bits == 0 {
		shift = 0
	}
	switch v := v.(type) {
	case int64:
		return v == v<<shift>>shift
	case uint64:
		return v == v<<shift>>shift
	case float64:
		return floatBits(ty) == 64 || sameFloat(v, float64(float32(v)))
	case complex128:
		return ty.Fits(real(v)) && ty.Fits(imag(v))
	}
	return true
}

// A Shape tells operations of one kind apart by the effect of their template.
type Shape uint8

// The shapes of operations.
const (
	NoShape Shape = iota

	// Func literals.
	Constant  // returns the operation's arguments, or has an empty body
	Parameter // returns its first parameter that fits, and the operation's arguments
	Less      // orders its two parameters by <
	Same      // compares its two parameters by ==
	Compare   // orders its two parameters as cmp.Compare does
	Predicate // is true for some values of its first parameter
	Hash      // returns a number made of its parameter
	Yield     // is an iterator over the operation's arguments
	Throw     // panics with Thrown
	Tested    // is a function of the package's tests

	// Literals and conversions.
	Empty     // T{}, &T{}
	New       // new(T)
	Filled    // T{F: $0}, []T{$*}, map[K]V{$0: $1}
	Address   // &$0
	Unnamed   // any(f()): the result has a type that only its package can name
	Cancelled // a context that is cancelled
	Stub      // a value of a type of foray's, for an interface that only callers implement

	// Channels.
	Make    // make(chan T, $0)
	Send    // $0 <- $1
	Receive // <-$0
	Close   // close($0)
)

// Thrown is the value that func literals of shape [Throw] panic with. A call that such a
// panic leaves has failed. The sequence goes on: the callee has to put right all that a
// callback's panic leaves behind.
const Thrown = "foray"

// AdapterName begins the names of the generated functions that call operations. The number of
// the operation follows.
const AdapterName = "forayOp"

// Std is a set of interfaces of the standard library.
type Std uint64

// The interfaces, and the sets they stand for: a type has the bit of each that it
// implements.
const (
	StdError Std = 1 << iota
	StdStringer
	StdGoStringer
	StdFormatter
	StdReader
	StdWriter
	StdCloser
	StdSeeker
	StdReaderAt
	StdWriterAt
	StdReaderFrom
	StdWriterTo
	StdByteReader
	StdByteWriter
	StdByteScanner
	StdRuneReader
	StdRuneScanner
	StdStringWriter
	StdFS
	StdFile
	StdSort
	StdHeap
	StdHash
	StdHash32
	StdHash64
	StdTextMarshaler
	StdTextUnmarshaler
	StdTextAppender
	StdBinaryMarshaler
	StdBinaryUnmarshaler
	StdBinaryAppender
	StdJSONMarshaler
	StdJSONUnmarshaler
	StdGobEncoder
	StdGobDecoder
	StdXMLMarshaler
	StdXMLUnmarshaler
	StdXMLMarshalerAttr
	StdXMLUnmarshalerAttr
	StdFlagValue
	StdContext
	StdLocker
	StdValuer
	StdScanner
	StdSlogHandler
	StdRandSource
)

// Has reports whether s has all interfaces of want.
func (s Std) Has(want Std) bool { return s&want == want }

// stdMethods lists the methods of each interface, in the order of the bits: a name and a
// signature with import paths.
var stdMethods = [...]struct{ Name, Methods string }{
	{"error", "Error() string"},
	{"fmt.Stringer", "String() string"},
	{"fmt.GoStringer", "GoString() string"},
	{"fmt.Formatter", "Format(fmt.State, rune)"},
	{"io.Reader", "Read([]byte) (int, error)"},
	{"io.Writer", "Write([]byte) (int, error)"},
	{"io.Closer", "Close() error"},
	{"io.Seeker", "Seek(int64, int) (int64, error)"},
	{"io.ReaderAt", "ReadAt([]byte, int64) (int, error)"},
	{"io.WriterAt", "WriteAt([]byte, int64) (int, error)"},
	{"io.ReaderFrom", "ReadFrom(io.Reader) (int64, error)"},
	{"io.WriterTo", "WriteTo(io.Writer) (int64, error)"},
	{"io.ByteReader", "ReadByte() (byte, error)"},
	{"io.ByteWriter", "WriteByte(byte) error"},
	{"io.ByteScanner", "ReadByte() (byte, error); UnreadByte() error"},
	{"io.RuneReader", "ReadRune() (rune, int, error)"},
	{"io.RuneScanner", "ReadRune() (rune, int, error); UnreadRune() error"},
	{"io.StringWriter", "WriteString(string) (int, error)"},
	{"io/fs.FS", "Open(string) (io/fs.File, error)"},
	{"io/fs.File", "Stat() (io/fs.FileInfo, error); Read([]byte) (int, error); Close() error"},
	{"sort.Interface", "Len() int; Less(int, int) bool; Swap(int, int)"},
	{"container/heap.Interface", "Len() int; Less(int, int) bool; Swap(int, int); Push(any); Pop() any"},
	{"hash.Hash", "Write([]byte) (int, error); Sum([]byte) []byte; Reset(); Size() int; BlockSize() int"},
	{"hash.Hash32", "Write([]byte) (int, error); Sum([]byte) []byte; Reset(); Size() int; BlockSize() int; Sum32() uint32"},
	{"hash.Hash64", "Write([]byte) (int, error); Sum([]byte) []byte; Reset(); Size() int; BlockSize() int; Sum64() uint64"},
	{"encoding.TextMarshaler", "MarshalText() ([]byte, error)"},
	{"encoding.TextUnmarshaler", "UnmarshalText([]byte) error"},
	{"encoding.TextAppender", "AppendText([]byte) ([]byte, error)"},
	{"encoding.BinaryMarshaler", "MarshalBinary() ([]byte, error)"},
	{"encoding.BinaryUnmarshaler", "UnmarshalBinary([]byte) error"},
	{"encoding.BinaryAppender", "AppendBinary([]byte) ([]byte, error)"},
	{"encoding/json.Marshaler", "MarshalJSON() ([]byte, error)"},
	{"encoding/json.Unmarshaler", "UnmarshalJSON([]byte) error"},
	{"encoding/gob.GobEncoder", "GobEncode() ([]byte, error)"},
	{"encoding/gob.GobDecoder", "GobDecode([]byte) error"},
	{"encoding/xml.Marshaler", "MarshalXML(*encoding/xml.Encoder, encoding/xml.StartElement) error"},
	{"encoding/xml.Unmarshaler", "UnmarshalXML(*encoding/xml.Decoder, encoding/xml.StartElement) error"},
	{"encoding/xml.MarshalerAttr", "MarshalXMLAttr(encoding/xml.Name) (encoding/xml.Attr, error)"},
	{"encoding/xml.UnmarshalerAttr", "UnmarshalXMLAttr(encoding/xml.Attr) error"},
	{"flag.Value", "String() string; Set(string) error"},
	{"context.Context", "Deadline() (time.Time, bool); Done() <-chan struct{}; Err() error; Value(any) any"},
	{"sync.Locker", "Lock(); Unlock()"},
	{"database/sql/driver.Valuer", "Value() (database/sql/driver.Value, error)"},
	{"database/sql.Scanner", "Scan(any) error"},
	{"log/slog.Handler", "Enabled(context.Context, log/slog.Level) bool; Handle(context.Context, log/slog.Record) error; WithAttrs([]log/slog.Attr) log/slog.Handler; WithGroup(string) log/slog.Handler"},
	{"math/rand.Source", "Int63() int64; Seed(int64)"},
}

// byteNames gives types of two spellings one.
var byteNames = strings.NewReplacer("uint8", "byte", "uint32", "uint32", "int32", "rune", "struct {}", "struct{}")

// Implemented returns the standard interfaces that a type implements. signature returns
// the signature of one of its exported methods with import paths, "([]byte) (int, error)",
// and an empty string if there is no such method.
func Implemented(signature func(method string) string) Std {
	var set Std
	known := map[string]string{}
	for i, iface := range stdMethods {
		all := true
		for m := range strings.SplitSeq(iface.Methods, "; ") {
			name, _, _ := strings.Cut(m, "(")
			if _, ok := known[name]; !ok {
				known[name] = name + byteNames.Replace(signature(name))
			}
			all = all && known[name] == m
		}
		if all {
			set |= 1 << i
		}
	}
	return set
}

// StdNamed returns the interface that has a name, such as "io.Reader", and all that it
// implements itself.
func StdNamed(name string) Std {
	for _, iface := range stdMethods {
		if iface.Name == name {
			signatures := map[string]string{}
			for m := range strings.SplitSeq(iface.Methods, "; ") {
				method, _, _ := strings.Cut(m, "(")
				signatures[method] = m[len(method):]
			}
			return Implemented(func(method string) string { return signatures[method] })
		}
	}
	return 0
}

// String lists the interfaces of s: "io.Reader io.Writer".
func (s Std) String() string {
	var names []string
	for i, iface := range stdMethods {
		if s.Has(1 << i) {
			names = append(names, iface.Name)
		}
	}
	return strings.Join(names, " ")
}

// String returns the keyword or the word for k: "pointer", "func".
func (k TypeKind) String() string {
	if int(k) < len(typeKinds) {
		return typeKinds[k]
	}
	return "unknown"
}

var typeKinds = [...]string{"unknown", "basic", "pointer", "slice", "array", "map", "chan", "func", "struct", "interface"}

// String returns a word for s.
func (s Shape) String() string { return shapes[s] }

var shapes = [...]string{
	"none", "constant", "parameter", "less", "same", "compare", "predicate", "hash", "yield", "throw", "tested",
	"empty", "new", "filled", "address", "unnamed", "cancelled", "stub", "make", "send", "receive", "close",
}
