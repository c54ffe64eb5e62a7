package concolic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

func TestMain(m *testing.M) {
	debugging = true
	os.Exit(m.Run())
}

// purePackages are compared with native runs.
var purePackages = []string{
	"bytes", "container/heap", "container/list", "container/ring", "encoding/base64", "encoding/hex", "html", "path", "sort", "strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8",
}

// instrumented adds to each condition, and each case, of a file a call that mixes the
// outcome into a hash of the package.
func instrumented(t *testing.T, name string, src []byte, next *int) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	id := func() ast.Expr { *next++; return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(*next)} }
	var wrap func(e ast.Expr) ast.Expr
	wrap = func(e ast.Expr) ast.Expr {
		if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			b.X, b.Y = wrap(b.X), wrap(b.Y)
			return b
		}
		return &ast.CallExpr{Fun: ast.NewIdent("cov_"), Args: []ast.Expr{id(), e}}
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return false
			case *ast.IfStmt:
				n.Cond = wrap(n.Cond)
			case *ast.ForStmt:
				if n.Cond != nil {
					n.Cond = wrap(n.Cond)
				}
			case *ast.ReturnStmt:
				for i, r := range n.Results {
					if b, ok := r.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
						n.Results[i] = wrap(b)
					}
				}
			case *ast.CaseClause:
				n.Body = slices.Insert(n.Body, 0, ast.Stmt(&ast.ExprStmt{X: wrap(ast.NewIdent("true"))}))
			}
			return true
		})
	}
	f.Comments = slices.DeleteFunc(f.Comments, func(c *ast.CommentGroup) bool { return c.Pos() > f.Package })
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const coverSource = `

var CovHash_ uint64

func cov_[T ~bool](id uint64, b T) T {
	if b {
		id += 1 << 32
	}
	CovHash_ = (CovHash_ ^ id) * 0x100000001b3
	return b
}
`

// overlay instruments the pure packages. It returns their files by name.
func overlay(t *testing.T) map[string][]byte {
	out, err := exec.Command("go", append([]string{"list", "-json=Dir,Name,GoFiles"}, purePackages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	next := 0
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			Dir, Name string
			GoFiles   []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		for i, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(src, []byte("go:linkname")) && !bytes.Contains(src, []byte("go:build ")) {
				files[file] = instrumented(t, file, src, &next)
			}
			if i == 0 {
				files[filepath.Join(p.Dir, "zz_cover.go")] = []byte("package " + p.Name + coverSource)
			}
		}
	}
	return files
}

// writeOverlay writes the file of go build -overlay.
func writeOverlay(t *testing.T, dir string, files map[string][]byte) string {
	replace := map[string]string{}
	i := 0
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range files {
			if !yield(k) {
				return
			}
		}
	}) {
		i++
		to := filepath.Join(dir, fmt.Sprintf("f%d.go", i))
		if err := os.WriteFile(to, files[name], 0o666); err != nil {
			t.Fatal(err)
		}
		replace[name] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// subjects returns the exported functions whose arguments can be symbolic.
func subjects(p *Program) []*ssa.Function {
	var list []*ssa.Function
	for _, pkg := range p.Targets {
		if strings.HasPrefix(pkg.Pkg.Path(), "internal/") {
			continue
		}
		for _, name := range pkg.Pkg.Scope().Names() {
			fn := pkg.Func(name)
			if fn != nil && token.IsExported(name) && fn.Signature.TypeParams() == nil && Supported(fn.Signature) == nil && fn.Signature.Params().Len() > 0 {
				list = append(list, fn)
			}
		}
	}
	return list
}

const driverSource = `
func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	html.EscapeString("")
	for in.Scan() {
		words = strings.Fields(in.Text())
		f := word()
		fmt.Fprintln(w, run(calls[f]))
	}
}

var words []string

func word() uint64 {
	n, err := strconv.ParseUint(words[0], 16, 64)
	if err != nil {
		panic(err)
	}
	words = words[1:]
	return n
}

func text() string {
	b := make([]byte, word())
	for i := range b {
		b[i] = byte(word())
	}
	return string(b)
}

func sliceOf[T any](elem func() T) []T {
	s := make([]T, word())
	for i := range s {
		s[i] = elem()
	}
	return s[:len(s):len(s)]
}

func run(call func() []string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprint("panic ", hash())
			if _, ok := r.(runtime.Error); ok {
				out = fmt.Sprint("panic runtime ", hash())
			}
		}
	}()
	return strings.Join(call(), " ")
}

func show(v any, kind string) string {
	switch kind {
	case "float":
		return fmt.Sprintf("%#x", math.Float64bits(reflect.ValueOf(v).Float()))
	case "text":
		return strconv.Quote(reflect.ValueOf(v).String())
	case "scalar":
		return fmt.Sprint(v)
	case "nil":
		r := reflect.ValueOf(v)
		switch r.Kind() {
		case reflect.Pointer, reflect.Func, reflect.Slice, reflect.Map:
			return fmt.Sprint(r.IsNil())
		}
		return fmt.Sprint(!r.IsValid())
	case "?":
		return "?"
	}
	var parts []string
	r := reflect.ValueOf(v)
	for i := range r.Len() {
		parts = append(parts, show(r.Index(i).Interface(), kind[1:]))
	}
	return "[" + strings.Join(parts, " ") + "]"
}
`

// driver generates the native program.
func driver(fns []*ssa.Function) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"bufio\"\n\"fmt\"\n\"math\"\n\"os\"\n\"reflect\"\n\"runtime\"\n")
	for _, p := range purePackages {
		if !strings.HasPrefix(p, "internal/") {
			fmt.Fprintf(&b, "%q\n", p)
		}
	}
	b.WriteString(")\n" + driverSource)
	var resets, hashes string
	for _, p := range purePackages {
		if name := filepath.Base(p); !strings.HasPrefix(p, "internal/") {
			resets += name + ".CovHash_ = 0\n"
			hashes += " ^ " + name + ".CovHash_"
		}
	}
	fmt.Fprintf(&b, "func reset() {\n%s}\n\nfunc hash() uint64 { return 0%s }\n\nvar calls = []func() []string{\n", resets, hashes)
	for _, fn := range fns {
		var params, args, results, shown []string
		for i := range fn.Signature.Params().Len() {
			params = append(params, fmt.Sprintf("p%d := %s", i, decoder(fn.Signature.Params().At(i).Type())))
			args = append(args, fmt.Sprintf("p%d", i))
		}
		if fn.Signature.Variadic() {
			args[len(args)-1] += "..."
		}
		for i := range fn.Signature.Results().Len() {
			results = append(results, fmt.Sprintf("r%d", i))
			shown = append(shown, fmt.Sprintf("show(r%d, %q)", i, showKind(fn.Signature.Results().At(i).Type())))
		}
		call := fmt.Sprintf("%s.%s(%s)", fn.Pkg.Pkg.Name(), fn.Name(), strings.Join(args, ", "))
		if len(results) > 0 {
			call = strings.Join(results, ", ") + " := " + call
		}
		fmt.Fprintf(&b, "func() []string {\n%s\nreset()\n%s\nh := hash()\nreturn []string{%s fmt.Sprint(h)}\n},\n", strings.Join(params, "\n"), call, strings.Join(append(shown, ""), ", "))
	}
	b.WriteString("}\n")
	return b.String()
}

func decoder(t types.Type) string {
	name := types.TypeString(t, qualify)
	switch k := kindOf(t); k.class {
	case stringClass:
		return name + "(text())"
	case boolClass:
		return name + "(word() != 0)"
	case floatClass:
		return fmt.Sprintf("%s(math.Float%dfrombits(uint%d(word())))", name, k.width, k.width)
	case intClass:
		return name + "(word())"
	}
	elem := t.Underlying().(*types.Slice).Elem()
	return fmt.Sprintf("sliceOf(func() %s { return %s })", types.TypeString(elem, qualify), decoder(elem))
}

func showKind(t types.Type) string {
	switch k := kindOf(t); k.class {
	case stringClass:
		return "text"
	case floatClass:
		return "float"
	case boolClass, intClass:
		return "scalar"
	case aggregateClass, complexClass:
		return "?"
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		return "*" + showKind(s.Elem())
	}
	return "nil"
}

// randomModel draws arguments: mostly small numbers, and bytes that texts are made of.
func randomModel(r *rand.Rand, in *Input) solver.Model {
	m := in.Zero()
	const texts = "aAbBz019 \t\n.,-+_%/\\\"'<&;exX=#\xc3\xa9\xe2\x82\xac\xff\x80"
	for i := range in.params {
		p := &in.params[i]
		if p.lenVar != nil {
			m[p.lenVar.Val] = uint64(r.IntN(9))
		}
		for _, v := range p.vars {
			switch {
			case p.k.class == floatClass:
				m[v.Val] = []uint64{r.Uint64(), uint64(r.IntN(40)) << 52, 0x4059000000000000, 0x3ff8000000000000}[r.IntN(4)]
			case p.k.class == boolClass:
				m[v.Val] = r.Uint64() & 1
			case r.IntN(3) > 0 && p.k.width != 64:
				m[v.Val] = uint64(texts[r.IntN(len(texts))])
			case r.IntN(10) == 0:
				m[v.Val] = []uint64{0, 1 << 63, 1<<63 - 1, ^uint64(0)}[r.IntN(4)] & (^uint64(0) >> (64 - p.k.width))
			default:
				m[v.Val] = uint64(r.IntN(24)-4) & (^uint64(0) >> (64 - p.k.width))
			}
		}
	}
	return m
}

// line encodes the arguments of a model for the native program.
func (in *Input) line(f int, m solver.Model) string {
	words := []string{strconv.FormatInt(int64(f), 16)}
	add := func(n uint64) { words = append(words, strconv.FormatUint(n, 16)) }
	for i := range in.params {
		p := &in.params[i]
		n := 1
		if p.list {
			n = p.size(m)
			add(uint64(n))
		}
		for j := range n {
			add(m.Value(p.vars[j]))
		}
	}
	return strings.Join(words, " ")
}

// The interpreter and native runs return the same, and take the same branches in the same
// order, on random inputs of all functions of some packages that can have them. Path
// constraints hold for the input that they come from.
func TestAgainstNative(t *testing.T) {
	files := overlay(t)
	p, err := Load(Config{Patterns: purePackages, Overlay: files})
	if err != nil {
		t.Fatal(err)
	}
	fns := subjects(p)
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(driver(fns)), 0o666); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "native")
	if out, err := exec.Command("go", "build", "-overlay", writeOverlay(t, dir, files), "-o", binary, main).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const seed, runs = 7, 10_000
	r := rand.New(rand.NewPCG(seed, seed))
	m := p.NewMachine(Limits{})
	m.startAll(t, p)
	var lines, got []string
	aborted := map[string]int{}
	for len(lines) < runs {
		for f, fn := range fns {
			in, err := m.NewInput(fn, Shape{})
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				model := randomModel(r, in)
				run := m.execute(in, model)
				h := m.hashes(p)
				m.rollBack()
				if run.Reason != ReasonNone {
					aborted[fmt.Sprintf("%v: %s", run.Reason, run.Detail)]++
					continue
				}
				lines, got = append(lines, in.line(f, model)), append(got, run.String(h))
				checkPath(t, m, in, run)
			}
		}
	}
	compareNative(t, binary, lines, got, fns)
	lost := 0
	for _, n := range aborted {
		lost += n
	}
	t.Logf("%d runs of %d functions; %d aborted: %v", len(lines), len(fns), lost, aborted)
	if lost*10 > len(lines) {
		t.Errorf("%d of %d runs were aborted, want less than a tenth", lost, lost+len(lines))
	}
}

// startAll initializes the packages, so that their hashes are of runs alone.
func (m *Machine) startAll(t *testing.T, p *Program) {
	m.run = &Run{Sides: map[uint64]int{}}
	m.protect(func() {
		for _, pkg := range p.Targets {
			m.initialize(pkg)
			if pkg.Pkg.Path() == "html" { // its replacer is made by the first call, natively, too
				m.call(m.function(pkg.Func("EscapeString")), []value{text("")}, nil)
			}
		}
	})
	if m.run.Reason != ReasonNone {
		t.Fatalf("initialization is aborted: %v: %s", m.run.Reason, m.run.Detail)
	}
	for _, pkg := range p.Targets {
		m.global(pkg.Var("CovHash_")).n = 0
	}
}

func (m *Machine) hashes(p *Program) (h uint64) {
	for _, pkg := range p.Targets {
		if !strings.HasPrefix(pkg.Pkg.Path(), "internal/") {
			h ^= m.global(pkg.Var("CovHash_")).n
		}
	}
	return h
}

// String shows a run as the native program does.
func (r *Run) String(hash uint64) string {
	switch {
	case strings.HasPrefix(r.Panic, "runtime error"):
		return fmt.Sprint("panic runtime ", hash)
	case r.Results == nil:
		return fmt.Sprint("panic ", hash)
	}
	return strings.Join(append(r.Results, fmt.Sprint(hash)), " ")
}

func checkPath(t *testing.T, m *Machine, in *Input, run *Run) {
	t.Helper()
	for _, c := range run.Path {
		if m.terms.Eval(run.Input, c.Term)[0] == 0 {
			site := m.Sites[c.Site]
			t.Errorf("%s: %s: a constraint (%v at %v) does not hold", in.fn.ssa, in.Statements(run.Input), site.Kind, m.prog.Fset.Position(site.Pos))
			return
		}
	}
}

func compareNative(t *testing.T, binary string, lines, got []string, fns []*ssa.Function) {
	cmd := exec.Command(binary)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("native program: %v\n%s", err, stderr.Bytes())
	}
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<20)
	mismatches := 0
	for i := range lines {
		if !sc.Scan() {
			t.Fatalf("the native program ended at input %d of %d", i, len(lines))
		}
		if want := sc.Text(); got[i] != want {
			if mismatches++; mismatches <= 30 {
				f, _ := strconv.ParseInt(strings.Fields(lines[i])[0], 16, 64)
				t.Errorf("%s, arguments %s: %s, natively %s", fns[f], lines[i], got[i], want)
			}
		}
	}
	if mismatches > 0 {
		t.Errorf("%d mismatches in %d runs", mismatches, len(lines))
	}
}
