// Package whitebox writes tests of functions on structures, by lazy initialization
// [Visser04 §4.3].
//
//	r, err := whitebox.Solve(prog, whitebox.Config{Func: "(*Tree).Remove", Objects: 5})
//	os.WriteFile("tree/solved_test.go", r.File, 0o666)
//
// The tests stand in the package, as they set unexported fields. They come from the
// interpreter alone: nothing has run natively.
package whitebox

import (
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/twin"
	"foray.test/harness/build"
)

// Mark begins every file that this package writes.
const Mark = build.SolveMark

// Config selects what is solved for.
type Config struct {
	Func    string // Name, Type.Name or (*Type[int]).Name
	Objects int    // of one type
	Runs    int    // paths, at most
	Seed    uint64
	All     bool        // a test for each path, not only for sides
	Stop    func() bool // is asked now and then; nil: never
}

// A Result has the tests of a function.
type Result struct {
	Stats     strategy.Stats
	Taken, Of int    // sides that the function reaches in its package
	Paths     int    // on structures that meet the precondition
	Cut       bool   // the budget was used up
	Pred      string // the precondition; empty if there is none
	Tests     []Test
	File      []byte // the tests, as a file of the package
	Seeds     []byte // a file with a function that returns the receivers; empty if there are none
}

// A Test is the input of one path.
type Test struct {
	Code  string
	Panic string // what the interpreter's call panics with
}

// IsMethod reports whether a name of a function is that of a method.
func IsMethod(name string) bool { return strings.Contains(name, ".") }

// HasStructures reports whether a function has a parameter to be lazily initialized.
func HasStructures(fn *ssa.Function) bool {
	for v := range fn.Signature.Params().Variables() {
		if concolic.IsStructure(v.Type(), fn.Pkg.Pkg) {
			return true
		}
	}
	return false
}

// Find returns a function of a package, or a method.
func Find(fset *token.FileSet, pkg *ssa.Package, name string) (*ssa.Function, error) {
	fail := func(msg, hint string) error {
		return &load.Error{Place: pkg.Pkg.Path(), Msg: fmt.Sprintf("-func %s: %s", name, msg), Hint: hint}
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		if fn := pkg.Func(name); fn != nil {
			return fn, nil
		}
		return nil, fail("no such function", "a method is written (*Type).Method")
	}
	recv := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name[:i], "("), ")"), "*")
	tv, err := types.Eval(fset, pkg.Pkg, token.NoPos, recv)
	if err != nil || !tv.IsType() {
		return nil, fail("no type "+recv, "a generic type needs type arguments: (*Type[int]).Method")
	}
	named, ok := types.Unalias(tv.Type).(*types.Named)
	if !ok || named.Obj().Pkg() != pkg.Pkg || named.TypeParams().Len() > 0 && named.TypeArgs().Len() == 0 {
		return nil, fail(recv+" is no type of the package that can have values", "a generic type needs type arguments: (*Type[int]).Method")
	}
	ptr := types.NewPointer(named)
	if types.NewMethodSet(ptr).Lookup(pkg.Pkg, name[i+1:]) == nil {
		return nil, fail("no such method", "")
	}
	return pkg.Prog.LookupMethod(ptr, pkg.Pkg, name[i+1:]), nil
}

// queriesPerPath bounds the queries of a search. A path of TreeMap.Remove on trees of five
// entries takes 2,900.
const queriesPerPath = 4000

// Solve solves for a function of a package.
func Solve(prog *concolic.Program, pkg *ssa.Package, c Config) (*Result, error) {
	fn, err := Find(prog.Fset, pkg, c.Func)
	if err != nil {
		return nil, err
	}
	m := prog.NewMachine(concolic.Limits{Steps: 200_000})
	in, err := m.NewStructures(fn, concolic.Shape{}, c.Objects)
	if err != nil {
		return nil, &load.Error{Place: pkg.Pkg.Path(), Msg: fmt.Sprintf("-func %s: %v", c.Func, err)}
	}
	x := strategy.New(m, in, strategy.Options{Runs: c.Runs, Queries: c.Runs * queriesPerPath, Seed: c.Seed, Stop: c.Stop, Package: pkg})
	var runs []*concolic.Run
	strategy.Structures(x, func(run *concolic.Run) { runs = append(runs, run) })
	r := &Result{Stats: x.Stats, Paths: len(runs), Cut: x.Done(), Pred: in.Precondition()}
	r.Taken, r.Of = x.Coverage()
	if !c.All {
		runs = strategy.Cover(runs, x.Own)
	}
	slices.SortStableFunc(runs, func(a, b *concolic.Run) int { // go test ends at the first panic
		return min(1, len(a.Panic)) - min(1, len(b.Panic))
	})
	if err := r.write(in, runs, pkg.Pkg.Name(), c.Func); err != nil {
		return nil, err
	}
	return r, r.writeSeeds(in, runs, pkg.Pkg)
}

// write writes tests of runs.
func (r *Result) write(in *concolic.Input, runs []*concolic.Run, pkg, fn string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\npackage %s\n\nimport \"testing\"\n", Mark, pkg)
	name := "TestSolved" + identifier(fn)
	for i, run := range runs {
		s := in.Structure(run)
		r.Tests = append(r.Tests, Test{strings.Join(append(s.Setup, s.Call), "\n"), run.Panic})
		comment := ""
		if run.Panic != "" {
			comment = "panics: " + text.OneLine(run.Panic, 80)
		}
		b.WriteString("\n")
		s.WriteTest(&b, fmt.Sprintf("%s%d", name, i+1), comment)
	}
	var err error
	r.File, err = format.Source([]byte(b.String()))
	return err
}

// identifier drops what is no part of an identifier.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("(*).[], /", r) {
			return -1
		}
		return r
	}, name)
}

// writeSeeds writes a function that returns the receivers of runs, if their type is exported.
func (r *Result) writeSeeds(in *concolic.Input, runs []*concolic.Run, pkg *types.Package) error {
	fn := in.Function()
	recv := fn.Signature.Recv()
	if recv == nil || !concolic.IsStructure(recv.Type(), pkg) {
		return nil
	}
	typ := types.TypeString(recv.Type(), types.RelativeTo(pkg))
	if !token.IsExported(strings.TrimPrefix(typ, "*")) {
		return nil
	}
	var cases []string
	for _, run := range runs {
		s := in.Structure(run)
		body := strings.Join(s.Setup, "\n") + "\n"
		for _, name := range s.Variables[1:] {
			body += "_ = " + name + "\n"
		}
		if !slices.Contains(cases, body) {
			cases = append(cases, body)
		}
	}
	name := "Solved" + identifier(typ) + fn.Name()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\npackage %s\n\n", twin.SolvedMark, pkg.Name())
	fmt.Fprintf(&b, "// %s returns the i-th of the structures that %s tells apart, counted round. foray fuzz\n// begins with them, too, and the tests that it writes call this function.\n", name, fn.Name())
	fmt.Fprintf(&b, "func %s(i uint16) %s {\n\tswitch i %% %d {\n", name, typ, max(len(cases), 1))
	for i, body := range cases {
		fmt.Fprintf(&b, "case %d:\n%sreturn v0\n", i, body)
	}
	b.WriteString("}\nreturn nil\n}\n")
	var err error
	r.Seeds, err = format.Source([]byte(b.String()))
	return err
}
