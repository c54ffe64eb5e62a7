package catalog

import (
	"fmt"
	"go/types"
	"path"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// A standard is an expression of other packages that makes a value for a type
// of the standard library.
type standard struct {
	want     string // the type it is made for, by key: "io.Reader", "*net/http.Request"
	imports  string // packages that template and params name, separated by spaces
	template string
	params   string // types of the arguments, separated by semicolons
	decl     string // name of one of standardDecls
	variadic bool
	shape    seq.Shape
}

// standards are offered for their type, and for any interface that their own
// type implements. The order is the order of preference.
var standards = []standard{
	{want: "io.Reader", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.Reader", imports: "bytes", template: "bytes.NewReader($0)", params: "[]byte"},
	{want: "io.Reader", imports: "testing/iotest strings", template: "iotest.OneByteReader(strings.NewReader($0))", params: "string"},
	{want: "io.Reader", imports: "testing/iotest errors", template: "iotest.ErrReader(errors.New($0))", params: "string"},
	{want: "io.Reader", imports: "io testing/iotest errors strings", template: `io.MultiReader(strings.NewReader($0), iotest.ErrReader(errors.New("broken")))`, params: "string"},
	{want: "io.Writer", imports: "bytes", template: "&bytes.Buffer{}"},
	{want: "io.Writer", imports: "testing/iotest bytes", template: "iotest.TruncateWriter(&bytes.Buffer{}, $0)", params: "int64"},
	{want: "io.Writer", imports: "io", template: "func() io.Writer { r, w := io.Pipe(); r.Close(); return w }()"},
	{want: "io.ReadWriter", imports: "bytes", template: "bytes.NewBufferString($0)", params: "string"},
	{want: "io.ReadSeeker", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.ReaderAt", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.ByteReader", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.ByteScanner", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.RuneReader", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.RuneScanner", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.WriterTo", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "io.ReadCloser", imports: "io strings", template: "io.NopCloser(strings.NewReader($0))", params: "string"},
	{want: "io.ReadWriteCloser", imports: "io net strings time", decl: "forayConn", template: "&forayConn{strings.NewReader($0)}", params: "string"},
	{want: "io.Closer", imports: "io strings", template: "io.NopCloser(strings.NewReader($0))", params: "string"},
	{want: "io.ByteWriter", imports: "bytes", template: "&bytes.Buffer{}"},
	{want: "io.StringWriter", imports: "bytes", template: "&bytes.Buffer{}"},
	{want: "io.ReaderFrom", imports: "bytes", template: "&bytes.Buffer{}"},
	{want: "*strings.Reader", imports: "strings", template: "strings.NewReader($0)", params: "string"},
	{want: "*bytes.Reader", imports: "bytes", template: "bytes.NewReader($0)", params: "[]byte"},
	{want: "*bytes.Buffer", imports: "bytes", template: "bytes.NewBufferString($0)", params: "string"},
	{want: "*bytes.Buffer", imports: "bytes", template: "&bytes.Buffer{}"},
	{want: "*strings.Builder", imports: "strings", template: "&strings.Builder{}"},
	{want: "*bufio.Reader", imports: "bufio strings", template: "bufio.NewReader(strings.NewReader($0))", params: "string"},
	{want: "*bufio.Reader", imports: "bufio strings", template: "bufio.NewReaderSize(strings.NewReader($0), 16)", params: "string"},
	{want: "*bufio.Writer", imports: "bufio bytes", template: "bufio.NewWriterSize(&bytes.Buffer{}, 16)"},
	{want: "*bufio.Scanner", imports: "bufio strings", template: "bufio.NewScanner(strings.NewReader($0))", params: "string"},
	{want: "context.Context", imports: "context", template: "context.Background()"},
	{want: "context.Context", imports: "context", template: "func() context.Context { c, cancel := context.WithCancel(context.Background()); cancel(); return c }()", shape: seq.Cancelled},
	{want: "error", imports: "errors", template: "errors.New($0)", params: "string"},
	{want: "error", imports: "io", template: "io.EOF"},
	{want: "fmt.Stringer", imports: "bytes", template: "bytes.NewBufferString($0)", params: "string"},
	{want: "sort.Interface", imports: "sort", template: "sort.IntSlice($0)", params: "[]int"},
	{want: "any", decl: "forayNode", template: "forayNode{$0, &forayNode{Value: $1}}", params: "int;int"},
	{want: "any", decl: "forayNode", template: "&forayNode{Value: $0}", params: "int"},
	{want: "container/heap.Interface", decl: "forayHeap", template: "&forayHeap{$*}", params: "int", variadic: true},
	{want: "time.Time", imports: "time", template: "time.Unix($0, 0).UTC()", params: "int64"},
	{want: "time.Time", imports: "time", template: "time.Time{}"},
	{want: "*time.Time", imports: "time", template: "&time.Time{}"},
	{want: "*time.Location", imports: "time", template: "time.UTC"},
	{want: "*time.Location", imports: "time", template: "time.FixedZone($0, 3600)", params: "string"},
	{want: "*time.Timer", imports: "time", template: "time.NewTimer(time.Hour)"},
	{want: "io/fs.FS", imports: "testing/fstest", template: `fstest.MapFS{"a.txt": {Data: []byte($0)}, "d/b.txt": {Data: []byte("b")}}`, params: "string"},
	{want: "io/fs.FileInfo", imports: "testing/fstest", template: `func() fs.FileInfo { i, _ := fstest.MapFS{"a.txt": {Data: []byte($0)}}.Stat("a.txt"); return i }()`, params: "string"},
	{want: "hash.Hash", imports: "crypto/sha256", template: "sha256.New()"},
	{want: "hash.Hash32", imports: "hash/crc32", template: "crc32.NewIEEE()"},
	{want: "hash.Hash64", imports: "hash/fnv", template: "fnv.New64a()"},
	{want: "net/http.ResponseWriter", imports: "net/http/httptest", template: "httptest.NewRecorder()"},
	{want: "*net/http.Request", imports: "net/http/httptest", template: `httptest.NewRequest("GET", "/", nil)`},
	{want: "*net/http.Request", imports: "net/http/httptest strings", template: `httptest.NewRequest("POST", "/a?b=c", strings.NewReader($0))`, params: "string"},
	{want: "net/http.Handler", imports: "net/http", template: "http.NotFoundHandler()"},
	{want: "net/http.Handler", imports: "net/http", template: "http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte($0)) })", params: "string"},
	{want: "net/http.Header", imports: "net/http", template: "http.Header{$0: {$1}}", params: "string;string"},
	{want: "reflect.Type", imports: "reflect", template: "reflect.TypeOf($0)", params: "any"},
	{want: "reflect.Value", imports: "reflect", template: "reflect.ValueOf($0)", params: "any"},
	{want: "*math/big.Int", imports: "math/big", template: "big.NewInt($0)", params: "int64"},
	{want: "*math/big.Int", imports: "math/big", template: "new(big.Int).Lsh(big.NewInt($0), 70)", params: "int64"},
	{want: "*math/big.Rat", imports: "math/big", template: "big.NewRat($0, 7)", params: "int64"},
	{want: "*math/big.Float", imports: "math/big", template: "new(big.Float).SetInt64($0)", params: "int64"},
	{want: "*regexp.Regexp", imports: "regexp", template: "regexp.MustCompile(`a+(b|c)*`)"},
	{want: "*regexp.Regexp", imports: "regexp", template: "regexp.MustCompile(``)"},
	{want: "*regexp.Regexp", imports: "regexp", template: "regexp.MustCompile(`^(\\w+)=(?P<value>\\d*)$`)"},
	{want: "math/rand.Source", imports: "math/rand", template: "rand.NewSource(1)"},
	{want: "*math/rand.Rand", imports: "math/rand", template: "rand.New(rand.NewSource(1))"},
	{want: "math/rand/v2.Source", imports: "math/rand/v2", template: "rand.NewPCG(1, 2)"},
	{want: "*math/rand/v2.Rand", imports: "math/rand/v2", template: "rand.New(rand.NewPCG(1, 2))"},
	{want: "net.IP", imports: "net", template: "net.ParseIP($0)", params: "string"},
	{want: "net.IP", imports: "net", template: "net.IPv4(127, 0, 0, 1)"},
	{want: "*net.IPNet", imports: "net", template: "&net.IPNet{IP: net.IPv4(10, 0, 0, 0), Mask: net.CIDRMask(8, 32)}"},
	{want: "net.Addr", imports: "net", template: "&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: $0}", params: "int"},
	{want: "net.Conn", imports: "io net strings time", decl: "forayConn", template: "&forayConn{strings.NewReader($0)}", params: "string"},
	{want: "*net/url.URL", imports: "net/url", template: `&url.URL{Scheme: "http", Host: "a.test", Path: $0}`, params: "string"},
	{want: "*net/url.URL", imports: "net/url", template: "func(s string) *url.URL { u, _ := url.Parse(s); return u }($0)", params: "string"},
	{want: "net/netip.Addr", imports: "net/netip", template: `netip.MustParseAddr("10.0.0.1")`},
	{want: "net/netip.Addr", imports: "net/netip", template: `netip.MustParseAddr("fe80::1%a")`},
	{want: "net/netip.AddrPort", imports: "net/netip", template: `netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), $0)`, params: "uint16"},
	{want: "net/netip.Prefix", imports: "net/netip", template: `netip.PrefixFrom(netip.MustParseAddr("10.0.0.1"), $0)`, params: "int"},
	{want: "*go/token.FileSet", imports: "go/token", template: "token.NewFileSet()"},
	{want: "*go/ast.File", imports: "go/parser go/token", template: `func(s string) *ast.File { x, _ := parser.ParseFile(token.NewFileSet(), "a.go", "package a; "+s, 0); return x }($0)`, params: "string"},
	{want: "*text/template.Template", imports: "text/template", template: `template.Must(template.New("a").Parse("{{.}}"))`},
	{want: "*html/template.Template", imports: "html/template", template: `template.Must(template.New("a").Parse("{{.}}"))`},
	{want: "*log.Logger", imports: "log io", template: `log.New(io.Discard, "", 0)`},
	{want: "*log/slog.Logger", imports: "log/slog", template: "slog.New(slog.DiscardHandler)"},
	{want: "log/slog.Handler", imports: "log/slog bytes", template: "slog.NewTextHandler(&bytes.Buffer{}, nil)"},
	{want: "unicode/utf8.RuneError", imports: "unicode/utf8", template: "utf8.RuneError"},
	{want: "*unicode.RangeTable", imports: "unicode", template: "unicode.Letter"},
	{want: "*encoding/json.Decoder", imports: "encoding/json strings", template: "json.NewDecoder(strings.NewReader($0))", params: "string"},
	{want: "*encoding/json.Encoder", imports: "encoding/json bytes", template: "json.NewEncoder(&bytes.Buffer{})"},
	{want: "*encoding/xml.Encoder", imports: "encoding/xml bytes", template: "xml.NewEncoder(&bytes.Buffer{})"},
	{want: "*encoding/xml.Decoder", imports: "encoding/xml strings", template: `func(s string) *xml.Decoder { d := xml.NewDecoder(strings.NewReader("<a>" + s + "</a>")); d.Token(); return d }($0)`, params: "string"},
	{want: "encoding/xml.StartElement", imports: "encoding/xml", template: `xml.StartElement{Name: xml.Name{Local: "a"}}`},
	{want: "encoding/xml.Name", imports: "encoding/xml", template: `xml.Name{Local: "a"}`},
	{want: "encoding/xml.Attr", imports: "encoding/xml", template: `xml.Attr{Name: xml.Name{Local: "a"}, Value: $0}`, params: "string"},
	{want: "*sync.Mutex", imports: "sync", template: "&sync.Mutex{}"},
	{want: "*sync.WaitGroup", imports: "sync", template: "&sync.WaitGroup{}"},
	{want: "sync.Locker", imports: "sync", template: "&sync.Mutex{}"},
}

// standardDecls are the types that standards need and no package offers.
var standardDecls = map[string]seq.Decl{
	"forayHeap": {Name: "forayHeap", Text: `// forayHeap is a heap.Interface on ints.
type forayHeap []int

func (h forayHeap) Len() int           { return len(h) }
func (h forayHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h forayHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *forayHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *forayHeap) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}`},
	"forayConn": {Name: "forayConn", Text: `// forayConn is a net.Conn with a peer that has sent a text, and reads all.
type forayConn struct{ io.Reader }

func (*forayConn) Write(b []byte) (int, error)      { return len(b), nil }
func (*forayConn) Close() error                     { return nil }
func (*forayConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (*forayConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2} }
func (*forayConn) SetDeadline(time.Time) error      { return nil }
func (*forayConn) SetReadDeadline(time.Time) error  { return nil }
func (*forayConn) SetWriteDeadline(time.Time) error { return nil }`},
	"forayNode": {Name: "forayNode", Text: `// forayNode is a struct whose type refers to itself.
type forayNode struct {
	Value int
	Next  *forayNode
}`},
}

// maxStandard bounds the standard values offered for one interface that the
// list does not name.
const maxStandard = 3

// isStandard reports whether the list has values for t itself.
func isStandard(t types.Type) bool {
	key := typeKey(t)
	return slices.ContainsFunc(standards, func(s standard) bool { return s.want == key })
}

// makeStandard adds the standard values for t and reports whether there are any.
func (f *finder) makeStandard(t types.Type, depth int) bool {
	key := typeKey(t)
	found := 0
	for _, s := range standards {
		if s.want == key && f.addStandard(s, t, depth) {
			found++
		}
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || found > 0 || iface.NumMethods() == 0 {
		return found > 0
	}
	for _, s := range standards {
		if found < maxStandard && f.implements(s, iface) && f.addStandard(s, t, depth) {
			found++
		}
	}
	return found > 0
}

// implements reports whether the value of s, of a package in reach, implements iface.
func (f *finder) implements(s standard, iface *types.Interface) bool {
	if s.decl != "" || strings.Contains(s.template, "$*") {
		return false
	}
	made, _, ok := f.standardTypes(f.standardText(s))
	return ok && made != nil && types.Implements(made, iface)
}

// addStandard adds the operation of s. If the type of its value is not known, the
// operation converts it to the wanted type t.
func (f *finder) addStandard(s standard, t types.Type, depth int) bool {
	if strings.Contains(" "+s.imports+" ", " "+f.pkg.Path()+" ") {
		return false // the package's own functions are operations already
	}
	text, params := f.standardText(s)
	made, list, ok := f.standardTypes(text, params)
	if !ok {
		return false
	}
	if made == nil {
		made = t
		if types.IsInterface(t) {
			text = f.typeName(t) + "(" + text + ")"
		}
	}
	if s.decl != "" {
		d := standardDecls[s.decl]
		d.Text = f.qualified(d.Text, strings.Fields(s.imports))
		f.decls[s.decl] = d
	}
	op := maker(seq.Standard, text, made, depth, list...)
	op.Variadic, op.Shape = s.variadic, s.shape
	f.add(op)
	return true
}

// standardText writes the template and parameter types of s with the table's
// names for packages.
func (f *finder) standardText(s standard) (text string, params []string) {
	paths := strings.Fields(s.imports)
	if i := strings.LastIndex(s.want, "."); i > 0 {
		paths = append(paths, strings.TrimLeft(s.want[:i], "*"))
	}
	if s.params != "" {
		params = strings.Split(s.params, ";")
	}
	return f.qualified(s.template, paths), params
}

// qualified writes a text with the table's names for packages.
func (f *finder) qualified(text string, paths []string) string {
	for _, p := range paths {
		base := path.Base(p)
		if base == "v2" {
			base = path.Base(path.Dir(p))
		}
		if strings.Contains(text, base+".") {
			text = requalify(text, base, f.names.Use(p, base))
		}
	}
	return text
}

// requalify replaces the package name from by to.
func requalify(text, from, to string) string {
	if from == to {
		return text
	}
	return qualifier.ReplaceAllStringFunc(text, func(m string) string {
		if m == from+"." {
			return to + "."
		}
		return m
	})
}

// standardTypes returns the type of an expression, nil if its packages are not
// known, and those of its parameters. It reports whether these are known.
func (f *finder) standardTypes(expr string, params []string) (made types.Type, list []types.Type, ok bool) {
	for i, p := range params {
		t, err := f.importer.eval(f.names, p)
		if err != nil {
			return nil, nil, false
		}
		list = append(list, t)
		expr = strings.ReplaceAll(expr, fmt.Sprintf("$%d", i), "*new("+p+")")
	}
	made, _ = f.importer.eval(f.names, strings.ReplaceAll(expr, "$*", ""))
	return made, list, true
}
