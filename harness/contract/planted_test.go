package contract_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
	"foray.test/harness/contract"
	"foray.test/harness/contract/testdata/planted"
	"foray.test/harness/emit"
)

var update = flag.Bool("update", false, "rewrite testdata/planted.golden")

const plantedPath = "foray.test/harness/contract/testdata/planted"

// plantedTable returns the catalog's table of package planted.
func plantedTable(t *testing.T) *seq.Table {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", plantedPath, "iter", "maps", "slices", "testing", "container/heap", "sort")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	names, err := filepath.Glob("testdata/planted/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: imp}
	pkg, err := conf.Check(plantedPath, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Find(catalog.Input{Types: pkg, Fset: fset, Files: files, Info: info, Importer: imp})
	if err != nil {
		t.Fatal(err)
	}
	return &c.Table
}

// A reflected calls the operations of package planted.
type reflected struct {
	table *seq.Table
	types map[string]reflect.Type // by name
}

func newReflected(table *seq.Table) *reflected {
	r := &reflected{table, map[string]reflect.Type{}}
	for _, f := range plantedFuncs {
		ft := reflect.TypeOf(f)
		for i := range ft.NumOut() {
			r.types[ft.Out(i).String()] = ft.Out(i)
			r.types["*"+ft.Out(i).String()] = reflect.PointerTo(ft.Out(i))
		}
	}
	return r
}

func (r *reflected) Call(id seq.OpID, args ...any) (results []any, panicked any) {
	defer func() {
		if p := recover(); p != nil {
			results, panicked = nil, p
		}
	}()
	op := &r.table.Ops[id]
	var f reflect.Value
	name := op.Member[strings.LastIndexByte(op.Member, '.')+1:]
	switch {
	case op.Kind == seq.Func && plantedFuncs[name] != nil:
		f = reflect.ValueOf(plantedFuncs[name])
	case op.Kind == seq.Method:
		f, args = reflect.ValueOf(args[0]).MethodByName(name), args[1:]
	case op.Kind == seq.Composite && len(op.Params) == 0:
		if zero := r.types[r.table.Types[op.Results[0]].Name]; zero.Kind() == reflect.Pointer {
			return []any{reflect.New(zero.Elem()).Interface()}, nil
		} else {
			return []any{reflect.Zero(zero).Interface()}, nil
		}
	default:
		return nil, errors.New("no such operation: " + op.Name)
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		param := f.Type().In(min(i, f.Type().NumIn()-1))
		if f.Type().IsVariadic() && i >= f.Type().NumIn()-1 {
			param = param.Elem()
		}
		if in[i] = reflect.Zero(param); arg != nil {
			in[i] = reflect.ValueOf(arg)
			if in[i].Type() != param && param.Kind() != reflect.Interface {
				in[i] = in[i].Convert(param)
			}
		}
	}
	for _, out := range f.Call(in) {
		results = append(results, out.Interface())
	}
	return results, nil
}

// box gives the literals of s values of the types that calls want.
func (r *reflected) box(s seq.Sequence) {
	basic := map[string]reflect.Type{
		"int": reflect.TypeFor[int](), "string": reflect.TypeFor[string](), "uint8": reflect.TypeFor[uint8](), "uint": reflect.TypeFor[uint](),
		"uint16": reflect.TypeFor[uint16](), "int64": reflect.TypeFor[int64](),
	}
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil && a.Lit.Value != nil {
				a.Lit.Boxed = reflect.ValueOf(a.Lit.Value).Convert(basic[r.table.Types[a.Lit.Type].Name]).Interface()
			}
		}
	}
}

// run returns the values that s makes.
func (r *reflected) run(t *testing.T, s seq.Sequence) []any {
	t.Helper()
	var values []any
	for i := range s {
		var args []any
		for _, a := range s[i].Args {
			if a.Lit != nil {
				args = append(args, a.Lit.Boxed)
			} else {
				args = append(args, values[a.Slot])
			}
		}
		results, panicked := r.Call(s[i].Op, args...)
		if panicked != nil {
			t.Fatalf("step %d panics: %v", i, panicked)
		}
		values = append(values, results...)
	}
	return values
}

// verdicts holds all contracts and laws against s and returns those that it breaks.
func (r *reflected) verdicts(t *testing.T, s seq.Sequence) []engine.Verdict {
	t.Helper()
	var list []engine.Verdict
	values := r.run(t, s)
	var types []seq.TypeID
	for i := range s {
		types = append(types, r.table.Ops[s[i].Op].Results...)
	}
	for _, c := range contract.Bind(r.table) {
		var slots []int32
		for n := range values {
			if types[n] == c.Type && len(slots) < c.Arity {
				slots = append(slots, int32(n))
			}
		}
		if len(slots) < c.Arity {
			continue
		}
		var chosen []any
		for _, n := range slots {
			chosen = append(chosen, values[n])
		}
		if ok, detail := c.Holds(r, chosen); !ok {
			list = append(list, c.Verdict(r.table, s, slots, detail))
		}
	}
	for _, l := range contract.Laws(r.table) {
		if l.On == s[len(s)-1].Op {
			if v, _ := l.Hold(r, r.table, s, false); v != nil {
				list = append(list, *v)
			}
		}
	}
	return list
}

// Each property is broken by a package that breaks it, and kept by one that does not.
// The tests that are emitted of the findings fail and pass likewise.
func TestPlanted(t *testing.T) {
	table := plantedTable(t)
	r := newReflected(table)
	defer planted.Break(true)
	unbroken := map[string]bool{}
	for _, c := range contract.Bind(table) {
		unbroken[c.Name] = c.Name != "returns" // which a panic breaks
	}
	for _, l := range contract.Laws(table) {
		unbroken[l.Name] = true
	}
	if len(unbroken) < 69 {
		t.Errorf("%d properties are bound, want 69", len(unbroken))
	}
	var findings []emit.Finding
	var golden strings.Builder
	for _, p := range contract.Plantings {
		s, err := table.Parse(p.Steps)
		if err != nil {
			t.Errorf("%s: %v", p.Steps, err)
			continue
		}
		r.box(s)
		planted.Break(false)
		for _, v := range r.verdicts(t, s) {
			t.Errorf("%s: what is not broken breaks %s: %s", p.Steps, v.Contract, v.Message)
		}
		planted.Break(true)
		var names []string
		fmt.Fprintf(&golden, "# %s\n", table.OneLine(s))
		for _, v := range r.verdicts(t, s) {
			names = append(names, v.Contract)
			unbroken[v.Contract] = false
			golden.WriteString(describe(v))
			findings = append(findings, emit.Finding{Sequence: s, Verdict: v, Options: emit.Options{Package: "planted"}})
		}
		if got := strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), " "); got != p.Breaks {
			t.Errorf("%s: breaks %q, want %q", p.Steps, got, p.Breaks)
		}
	}
	for name, is := range unbroken {
		if is {
			t.Errorf("no sequence breaks %s", name)
		}
	}
	compareGolden(t, golden.String())
	if !testing.Short() {
		runEmitted(t, table, findings)
	}
}

func describe(v engine.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s\n\t%s\n\t%s\n", v.Tier, v.Signature, v.Message, v.Reason)
	if v.Before != "" {
		fmt.Fprintf(&b, "\tbefore := %s\n", v.Before)
	}
	fmt.Fprintf(&b, "\t%s\n\t%v %d\n", strings.ReplaceAll(v.Assert, "\n", "\n\t"), v.Slots, v.Steps)
	return b.String()
}

func compareGolden(t *testing.T, got string) {
	t.Helper()
	const name = "testdata/planted.golden"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		wanted := strings.Split(string(want), "\n")
		for i, line := range strings.Split(got, "\n") {
			if i >= len(wanted) || line != wanted[i] {
				t.Fatalf("%s:%d: differs, got\n%s\n(-update rewrites it)", name, i+1, line)
			}
		}
		t.Fatalf("%s: there is more in it", name)
	}
}

// runEmitted builds the tests of all findings once, and runs them with either form of the
// package.
func runEmitted(t *testing.T, table *seq.Table, findings []emit.Finding) {
	t.Helper()
	src, err := emit.File(table, findings)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module " + plantedPath + "\n\ngo 1.26\n", "found_test.go": string(src)}
	names, _ := filepath.Glob("testdata/planted/*.go")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = strings.Replace(string(text), "var broken = true", `var broken = os.Getenv("PLANTED") != "fixed"`, 1)
	}
	files["planted.go"] = strings.Replace(files["planted.go"], `"io"`, "\"io\"\n\t\"os\"", 1)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "planted.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-o", binary)
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, src)
	}
	for _, form := range []struct{ name, line, other string }{{"broken", "--- FAIL: ", "--- PASS: "}, {"fixed", "--- PASS: ", "--- FAIL: "}} {
		cmd := exec.Command(binary, "-test.v")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PLANTED="+form.name)
		out, _ := cmd.CombinedOutput()
		if got := strings.Count(string(out), form.line+"TestForay"); got != len(findings) || strings.Contains(string(out), form.other) {
			t.Errorf("%s: %d tests with %q, want %d\n%s\n%s", form.name, got, form.line, len(findings), out, src)
		}
	}
}
