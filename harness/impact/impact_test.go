package impact

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// version returns a package of one file.
func version(t *testing.T, source string) Version {
	t.Helper()
	source = "package p\n" + source
	v := Version{Fset: token.NewFileSet(), Sources: [][]byte{[]byte(source)}, Info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	file, err := parser.ParseFile(v.Fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	v.Files = []*ast.File{file}
	c := types.Config{Importer: importer.Default()}
	if v.Types, err = c.Check("example.org/p", v.Fset, v.Files, v.Info); err != nil {
		t.Fatal(err)
	}
	return v
}

// told formats the result of Reached, a line a name.
func told(reached map[string][]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(reached[name], " "))
	}
	return b.String()
}

func TestReached(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{
			"what reaches a changed helper",
			"func A() int { return b() }; func b() int { return c() }; func c() int { return 1 }; func D() int { return 2 }",
			"func A() int { return b() }; func b() int { return c() }; func c() int { return 3 }; func D() int { return 2 }",
			"A: c\nb: c\nc: c\n",
		},
		{
			"comments and line breaks",
			"// A is one.\nfunc A() int { return 1 }",
			"// A is another.\nfunc A() int {\n\treturn /* a */ 1\n}",
			"A: A\n", // a line break is a semicolon
		},
		{
			"comments alone",
			"// A is one.\nfunc A() int {\n\treturn 1\n}",
			"// A is another.\nfunc A() int {\n\n\treturn  1 // so it is\n}",
			"",
		},
		{
			"in one version alone",
			"func A() int { return old() }; func old() int { return 1 }; func B() int { return 2 }",
			"func A() int { return next() }; func next() int { return 1 }; func B() int { return 2 }",
			"A: A next old\nnext: next\nold: old\n",
		},
		{
			"a constant that another one moves",
			"const ( _ = iota; One ); func A() int { return One }",
			"const ( _ = iota; Zero; One ); func A() int { return One }",
			"A: One\nOne: One\nZero: Zero\n",
		},
		{
			"variables and types",
			"var limit = 1; type T struct{ n int }; func (t *T) Get() int { return t.n }; func A() int { return limit }; func B() T { return T{} }",
			"var limit = 2; type T struct{ n, m int }; func (t *T) Get() int { return t.n }; func A() int { return limit }; func B() T { return T{} }",
			"(T).Get: T\nA: limit\nB: T\nT: T\nlimit: limit\n",
		},
		{
			"a method by its name, through an interface",
			"type I interface{ Do() int }; type T struct{}; func (T) Do() int { return 1 }; func A(i I) int { return i.Do() }; func B(t T) {}",
			"type I interface{ Do() int }; type T struct{}; func (T) Do() int { return 2 }; func A(i I) int { return i.Do() }; func B(t T) {}",
			"(I).Do: (T).Do\n(T).Do: (T).Do\nA: (T).Do\n",
		},
		{
			"a promoted method",
			"type in struct{}; func (*in) Do() int { return 1 }; type Out struct{ in }",
			"type in struct{}; func (*in) Do() int { return 2 }; type Out struct{ in }",
			"(Out).Do: (in).Do\n(in).Do: (in).Do\n",
		},
		{
			"generic functions and methods",
			"type L[T any] struct{ l []T }; func (l *L[T]) Len() int { return size(l.l) }; func size[T any](l []T) int { return len(l) }; func Of() int { var l L[int]; return l.Len() }",
			"type L[T any] struct{ l []T }; func (l *L[T]) Len() int { return size(l.l) }; func size[T any](l []T) int { return cap(l) }; func Of() int { var l L[int]; return l.Len() }",
			"(L).Len: size\nOf: size\nsize: size\n",
		},
		{
			"a function as a value, and recursion",
			"func A() func() int { return b }; func b() int { if c() { return b() }; return 0 }; func c() bool { return true }",
			"func A() func() int { return b }; func b() int { if c() { return b() }; return 0 }; func c() bool { return false }",
			"A: c\nb: c\nc: c\n",
		},
		{
			"a local of the same name",
			"func A(b int) int { return b }; func b() int { return 1 }",
			"func A(b int) int { return b }; func b() int { return 2 }",
			"b: b\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := told(Reached(version(t, tt.old), version(t, tt.new))); got != tt.want {
				t.Errorf("reached\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// functions is how many a random package has.
const functions = 7

// matrix says which function calls which.
type matrix [functions][functions]bool

// For random packages Reached returns the transitive closure of their calls.
func TestReachedIsTheClosure(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var changed [functions]bool
		var reaches matrix // in the old version
		for i := range changed {
			changed[i] = r.IntN(3) == 0
		}
		var sources [2]strings.Builder
		for v := range sources {
			var calls matrix
			for i := range functions {
				fmt.Fprintf(&sources[v], "func f%d() {", i)
				if changed[i] {
					fmt.Fprintf(&sources[v], " _ = %d;", v)
				}
				for j := range functions {
					// A call in one version alone is a change.
					both := r.IntN(6) == 0
					if v == 1 && !changed[i] {
						both = reaches[i][j]
					}
					if both {
						fmt.Fprintf(&sources[v], " f%d();", j)
						calls[i][j] = true
					}
				}
				sources[v].WriteString(" }\n")
			}
			if v == 0 {
				reaches = calls
				continue
			}
			want := naive(reaches, calls, changed)
			if got := told(Reached(version(t, sources[0].String()), version(t, sources[1].String()))); got != want {
				t.Fatalf("seed %d:\n%s\n%s\nreached\n%swant\n%s", seed, &sources[0], &sources[1], got, want)
			}
		}
	}
}

// naive computes the text of told by Warshall's algorithm.
func naive(old, next matrix, changed [functions]bool) string {
	var b strings.Builder
	for _, calls := range []*matrix{&old, &next} {
		for i := range calls {
			calls[i][i] = true
		}
		for k := range calls {
			for i := range calls {
				for j := range calls {
					calls[i][j] = calls[i][j] || calls[i][k] && calls[k][j]
				}
			}
		}
	}
	for i := range old {
		var list []string
		for j := range old {
			if changed[j] && (old[i][j] || next[i][j]) {
				list = append(list, fmt.Sprintf("f%d", j))
			}
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, "f%d: %s\n", i, strings.Join(list, " "))
		}
	}
	return b.String()
}
