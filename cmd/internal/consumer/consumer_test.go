package consumer

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	fuzz "github.com/AdaLogics/go-fuzz-headers"
)

// The types of these tests, compiled and, from the text of this file, as package
// go/types has them.
type (
	level uint8

	server struct {
		Host string
		Port uint16
		Tags []string
	}

	numbers struct {
		I    int
		I8   int8
		I64  int64
		U    uint
		U8   uint8
		U16  uint16
		U32  uint32
		U64  uint64
		F32  float32
		F64  float64
		P    uintptr
		C    complex128
		Yes  bool
		L    level
		Rune rune
	}

	config struct {
		Name string
		_    string
		hidden
		Main    server
		Backup  *server
		Servers []server
		Labels  map[string]int
		Data    []byte
		Levels  []level
		Any     any
		Array   [3]int
		Func    func()
		Chan    chan int
		Deep    map[level][]*server
		*numbers
	}

	hidden struct{ Unread string }

	chain struct {
		B    bool
		Next *chain
	}
)

// targets are the types that values are read into.
var targets = map[string]reflect.Type{
	"server": reflect.TypeFor[server](), "numbers": reflect.TypeFor[numbers](), "config": reflect.TypeFor[config](), "level": reflect.TypeFor[level](),
	"chain": reflect.TypeFor[chain](),
}

// scope returns the declarations of this file.
func scope(t testing.TB) *types.Scope {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "consumer_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	decls := file.Decls[:0]
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			decls = append(decls, d)
		}
	}
	file.Decls = decls
	conf := types.Config{Error: func(error) {}} // imports are not used
	pkg, _ := conf.Check("consumer", fset, []*ast.File{file}, nil)
	return pkg.Scope()
}

// text writes a decoded value; ofReflect writes the same for a live value.
func text(b *strings.Builder, v Value) {
	switch u := v.Type.Underlying().(type) {
	case *types.Basic:
		switch x := v.Basic.(type) {
		case nil:
			b.WriteString(zeros[u.Info()&(types.IsInteger|types.IsFloat|types.IsComplex|types.IsString|types.IsBoolean)])
		case float64:
			fmt.Fprintf(b, "%x", x)
		default:
			fmt.Fprintf(b, "%#v", fmt.Sprint(x))
		}
	case *types.Struct:
		b.WriteByte('{')
		read := v.Fields
		for field := range u.Fields() {
			if field.Exported() {
				f := Value{Type: field.Type()}
				if len(read) > 0 {
					f, read = read[0].Value, read[1:]
				}
				b.WriteString(field.Name() + ":")
				text(b, f)
			}
		}
		b.WriteByte('}')
	case *types.Slice:
		fmt.Fprintf(b, "[%d", len(v.Elems))
		for _, e := range v.Elems {
			text(b, e)
		}
		b.WriteByte(']')
	case *types.Map:
		m := map[string]string{}
		for i := range v.Keys {
			var k, e strings.Builder
			text(&k, v.Keys[i])
			text(&e, v.Elems[i])
			m[k.String()] = e.String()
		}
		fmt.Fprint(b, m)
	case *types.Pointer:
		b.WriteByte('&')
		if len(v.Elems) == 1 {
			text(b, v.Elems[0])
		}
	default:
		b.WriteByte('-')
	}
}

// zeros are the texts of basic values that were not read.
var zeros = map[types.BasicInfo]string{types.IsInteger: `"0"`, types.IsFloat: "0x0p+00", types.IsComplex: "-", types.IsString: `""`, types.IsBoolean: `"false"`}

func ofReflect(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprintf(b, "%#v", fmt.Sprint(v))
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(b, "%x", v.Float())
	case reflect.Struct:
		b.WriteByte('{')
		for f, x := range v.Fields() {
			if f.IsExported() {
				b.WriteString(f.Name + ":")
				ofReflect(b, x)
			}
		}
		b.WriteByte('}')
	case reflect.Slice:
		fmt.Fprintf(b, "[%d", v.Len())
		for i := range v.Len() {
			ofReflect(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.Map:
		m := map[string]string{}
		for k, x := range v.Seq2() {
			var key, e strings.Builder
			ofReflect(&key, k)
			ofReflect(&e, x)
			m[key.String()] = e.String()
		}
		fmt.Fprint(b, m)
	case reflect.Pointer:
		b.WriteByte('&')
		if !v.IsNil() {
			ofReflect(b, v.Elem())
		}
	default:
		b.WriteByte('-')
	}
}

// compare fails the test unless Decode reads the same as GenerateStruct.
func compare(t *testing.T, sc *types.Scope, name string, data []byte) (whole bool) {
	t.Helper()
	target := reflect.New(targets[name])
	wantErr := fuzz.NewConsumer(data).GenerateStruct(target.Interface())
	v, err := Decode(data, sc.Lookup(name).Type())
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%s from %q: %v, want %v", name, data, err, wantErr)
	}
	if err != nil {
		return false
	}
	var got, want strings.Builder
	text(&got, v)
	ofReflect(&want, target.Elem())
	if got.String() != want.String() {
		t.Fatalf("%s from %q:\n got %s\nwant %s", name, data, &got, &want)
	}
	return true
}

func TestDecode(t *testing.T) {
	sc := scope(t)
	v, err := Decode([]byte("\x00\x00\x00\x01a\x00\x50\x01\x00\x00\x00\x00"), sc.Lookup("server").Type())
	if err != nil || v.Fields[0].Basic != "a" || v.Fields[1].Basic != uint64(80) || len(v.Fields[2].Elems) != 0 {
		t.Errorf("got %+v, %v, want the server a at port 80", v, err)
	}
	for _, s := range []string{"", "word"} {
		v, err := Decode(append(String(s), "\x00\x50\x01\x00\x00\x00\x00"...), sc.Lookup("server").Type())
		if err != nil || v.Fields[0].Basic != s {
			t.Errorf("%q is read as %v, %v", String(s), v.Fields, err)
		}
	}
	if _, err := Decode([]byte("\x00\x00\x00\x02a"), sc.Lookup("server").Type()); err == nil {
		t.Error("no error of a string that is cut off")
	}
}

// Random inputs of many zeros, for lengths that fit, are read as GenerateStruct reads them.
func TestDecodeAsGenerateStruct(t *testing.T) {
	sc := scope(t)
	rnd := rand.New(rand.NewSource(1))
	whole := map[string]int{}
	for range 4000 {
		data := make([]byte, rnd.Intn(600))
		zeros := 2 + rnd.Intn(40)
		for i := range data {
			switch rnd.Intn(zeros) {
			case 0:
				data[i] = byte(rnd.Intn(256))
			case 1:
				data[i] = byte(rnd.Intn(8))
			}
		}
		for name := range targets {
			if compare(t, sc, name, data) {
				whole[name]++
			}
		}
	}
	for name := range targets {
		if whole[name] < 100 {
			t.Errorf("%d inputs are a whole %s: too few to tell", whole[name], name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x50\x01\x00\x00\x00\x00"))
	sc := scope(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for name := range targets {
			compare(t, sc, name, data)
		}
	})
}
