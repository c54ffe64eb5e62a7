package emit

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foray.test/engine/seq"
)

// harnessPath is the package that a fuzz test imports.
const harnessPath = "foray.test/harness"

// A FuzzTest is a test file that hands a list of operations to harness.Fuzz.
type FuzzTest struct {
	Name       string // of its function
	Source     []byte
	Operations int      // calls of the package
	LeftOut    []string // members of the package that it does not call
	Unmade     []string // types of receivers of those that nothing in it makes
}

// NewFuzzTest writes a fuzz test for the operations of t, of package x_test for the package
// that calls itself pkg.
// taken are the names of fuzz tests that the package already has, seeds are sequences as text
// that the test begins with.
//
// It lists one instance of each generic function or type. It lists functions
// that make arguments only where harness.Fuzz does not make them by itself.
func NewFuzzTest(t *seq.Table, pkg string, taken, seeds []string) (*FuzzTest, error) {
	l := &lister{t: t, calls: instances(t)}
	l.dropUnmade()
	l.addMakers()
	if len(l.calls) == 0 {
		return nil, fmt.Errorf("emit: package %s has no function or method to list", t.Package)
	}
	f := &FuzzTest{Name: fuzzName(t.Name, taken), Operations: len(l.calls), LeftOut: l.leftOut(), Unmade: l.unmade}
	var b strings.Builder
	b.WriteString("\n" + comment(fmt.Sprintf("%[1]s calls package %[2]s in sequences: go test runs those that are kept, go test -fuzz=%[1]s and foray fuzz -fuzz=%[1]s look for more.", f.Name, t.Name), 85))
	fmt.Fprintf(&b, "func %s(f *%s.F) {\n", f.Name, t.ImportName("testing"))
	if len(seeds) > 0 {
		b.WriteString("\t// Calls that other tests make.\n")
	}
	for _, seed := range seeds {
		b.WriteString("\tf.Add(" + seq.QuoteText(seed) + ")\n")
	}
	fmt.Fprintf(&b, "\t%[1]s.Fuzz(f, %[1]s.API{\n\t\tOperations: []any{\n", t.ImportName(harnessPath))
	for _, op := range l.calls {
		b.WriteString("\t\t\t" + l.entry(op) + ",\n")
	}
	for _, text := range l.makers {
		b.WriteString("\t\t\t" + text + ",\n")
	}
	b.WriteString("\t\t},\n\t})\n}\n")
	w := newWriter(t)
	w.others = []string{harnessPath}
	for _, op := range l.calls {
		w.builds = append(w.builds, op.Build...)
	}
	var err error
	f.Source, err = w.file(pkg+"_test", b.String())
	return f, err
}

// comment returns text as a comment in lines of at most width columns.
func comment(text string, width int) string {
	var b strings.Builder
	column := width
	for word := range strings.FieldsSeq(text) {
		if column+1+len(word) > width {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("//")
			column = 2
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	return b.String() + "\n"
}

// fuzzName returns a name for the test of a package: FuzzQueue.
func fuzzName(pkg string, taken []string) string {
	r, size := utf8.DecodeRuneInString(pkg)
	base := "Fuzz" + string(unicode.ToUpper(r)) + pkg[size:]
	for _, name := range []string{base, base + "Calls"} {
		if !slices.Contains(taken, name) {
			return name
		}
	}
	return numbered(base+"Sequences", func(name string) bool { return slices.Contains(taken, name) })
}

// A lister chooses the operations that a fuzz test lists.
type lister struct {
	t      *seq.Table
	calls  []*seq.Operation
	makers []string
	unmade []string // see [FuzzTest]
}

// instances returns the functions and methods of the API, functions first and
// each in the order of the source. A generic one has one instance, with int for
// its type arguments if there is such an instance.
func instances(t *seq.Table) []*seq.Operation {
	best := map[string]*seq.Operation{}
	for i := range t.Ops {
		op := &t.Ops[i]
		if !listable(t, op) {
			continue
		}
		if was := best[op.Member]; was == nil || simpler(op, was) {
			best[op.Member] = op
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b *seq.Operation) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
}

// listable reports whether op is a function or method that a test can name.
func listable(t *seq.Table, op *seq.Operation) bool {
	if !op.API || op.Spread || op.Pre.Blocks || op.Kind != seq.Func && op.Kind != seq.Method || op.Shape == seq.Unnamed {
		return false
	}
	return op.Kind == seq.Func || !t.Types[op.Params[0]].Hidden && t.Types[op.Params[0]].Path == t.Package
}

// simpler reports whether the type arguments of a are preferable to those in b.
func simpler(a, b *seq.Operation) bool {
	if x, y := onlyInt(a.TypeArgs), onlyInt(b.TypeArgs); x != y {
		return x
	}
	return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name)) < 0
}

func onlyInt(typeArgs []string) bool {
	return len(typeArgs) > 0 && !slices.ContainsFunc(typeArgs, func(arg string) bool { return arg != "int" })
}

// dropUnmade drops methods if nothing makes their receiver.
func (l *lister) dropUnmade() {
	for {
		n := len(l.calls)
		l.calls = slices.DeleteFunc(l.calls, func(op *seq.Operation) bool {
			if op.Kind != seq.Method || l.made(op.Params[0]) || l.composed(op.Params[0]) || l.t.Types[op.Params[0]].Literal != seq.NoLiteral {
				return false
			}
			if name := l.t.Types[op.Params[0]].Name; !slices.Contains(l.unmade, name) {
				l.unmade = append(l.unmade, name)
			}
			return true
		})
		if len(l.calls) == n {
			return
		}
	}
}

// made reports whether a listed operation returns a value assignable to type
// id.
func (l *lister) made(id seq.TypeID) bool {
	return slices.ContainsFunc(l.calls, func(op *seq.Operation) bool {
		return slices.ContainsFunc(op.Results, func(r seq.TypeID) bool { return l.t.AssignableTo(r, id) })
	})
}

// composed reports whether harness.Fuzz makes values of type id by itself: literals
// of structs, slices, arrays, maps and functions.
func (l *lister) composed(id seq.TypeID) bool {
	return slices.ContainsFunc(l.t.Ops, func(op seq.Operation) bool {
		switch op.Kind {
		case seq.Composite, seq.Elements, seq.FuncLit:
			return slices.Contains(op.Results, id) && op.Shape != seq.Address && op.Shape != seq.New
		}
		return false
	})
}

// addMakers lists makers of the arguments that neither a listed operation
// returns nor harness.Fuzz makes.
func (l *lister) addMakers() {
	seen := map[seq.TypeID]bool{}
	for _, op := range l.calls {
		for _, id := range op.Params {
			ty := &l.t.Types[id]
			if seen[id] || ty.Literal != seq.NoLiteral || ty.IsAny() || l.made(id) || l.composed(id) {
				continue
			}
			seen[id] = true
			if text := l.makerOf(id); text != "" && !slices.Contains(l.makers, text) {
				l.makers = append(l.makers, text)
			}
		}
	}
}

// makerOf returns the maker to list for values of type id, "" if there is none.
// It prefers operations that take literals, then operations without parameters,
// then operations that take other values.
func (l *lister) makerOf(id seq.TypeID) string {
	best, rank := "", 0
	for i := range l.t.Ops {
		op := &l.t.Ops[i]
		if op.Kind != seq.Standard || len(op.Results) != 1 || !l.t.AssignableTo(op.Results[0], id) {
			continue
		}
		r := 3
		switch {
		case slices.ContainsFunc(op.Params, func(p seq.TypeID) bool { return l.t.Types[p].Literal == seq.NoLiteral }):
			r = 1
		case len(op.Params) == 0:
			r = 2
		}
		if text, ok := l.maker(op, l.t.Types[id].Name); ok && r > rank {
			best, rank = text, r
		}
	}
	return best
}

var pointerLiteral = regexp.MustCompile(`^&([\pL_][\pL\d_.]*)\{\}$`)

var plainCall = regexp.MustCompile(`^([\pL_][\pL\d_]*\.[\pL_][\pL\d_]*)\((\$0(, \$\d)*)?\)$`)

// maker returns how a standard expression is listed that makes a value of a type,
// if it is short enough.
func (l *lister) maker(op *seq.Operation, typ string) (string, bool) {
	text := op.Template
	if inner, ok := strings.CutPrefix(text, typ+"("); ok { // converted to an interface
		text = strings.TrimSuffix(inner, ")")
	}
	if m := plainCall.FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	if len(op.Params) > 0 || strings.Contains(text, ";") || declares(l.t, text) {
		return "", false
	}
	if m := pointerLiteral.FindStringSubmatch(text); m != nil {
		typ = "*" + m[1]
	}
	return fmt.Sprintf("%s.Op{Name: %s, Func: func() %s { return %s }}", l.t.ImportName(harnessPath), seq.QuoteText(text), typ, text), true
}

// declares reports whether text refers to a declaration of foray's own.
func declares(t *seq.Table, text string) bool {
	return slices.ContainsFunc(t.Decls, func(d seq.Decl) bool { return strings.Contains(text, d.Name) })
}

// entry returns how a call is listed.
func (l *lister) entry(op *seq.Operation) string {
	text := l.t.Callee(op)
	var fields []string
	if op.Kind == seq.Func && len(op.TypeArgs) > 0 {
		fields = append(fields, "Name: "+strconv.Quote(text))
	}
	if op.Pre.Panics && !op.Pre.Guard {
		fields = append(fields, "Panics: "+seq.QuoteText(op.Pre.Sentence))
	}
	if len(fields) == 0 {
		return text
	}
	return l.t.ImportName(harnessPath) + ".Op{Func: " + text + ", " + strings.Join(fields, ", ") + "}"
}

// leftOut returns the members of the package that the table calls and the test does
// not, in order.
func (l *lister) leftOut() []string {
	var list []string
	for i := range l.t.Ops {
		member := l.t.Ops[i].Member
		if member != "" && l.t.Ops[i].File != "" && !slices.ContainsFunc(l.calls, func(op *seq.Operation) bool { return op.Member == member }) {
			list = append(list, member)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
