package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// makersOf returns the sorted makers of one kind for values of the named type.
func makersOf(c *Catalog, kind seq.Kind, typ string) []string {
	var list []string
	for i := range c.Table.Ops {
		op := &c.Table.Ops[i]
		if op.Kind == kind && !op.API && len(op.Results) == 1 && c.Table.Types[op.Results[0]].Name == typ {
			list = append(list, op.Template)
		}
	}
	slices.Sort(list)
	return list
}

// TestFuncLiterals lists the bodies of the literals for the parameter of F, without
// the one that panics.
func TestFuncLiterals(t *testing.T) {
	for _, tt := range []struct {
		typ, header string
		want        []string // "shape: body"
	}{
		{"func()", "func()", []string{"constant: "}},
		{"func(int)", "func(a int)", []string{"constant: "}},
		{"func() int", "func() int", []string{"constant: return $0"}},
		{"func() (int, error)", "func() (int, error)", []string{"constant: return $0, $1"}},
		{"func(int) int", "func(a int) int", []string{"constant: return $0", "parameter: return a"}},
		{"func(int, string) string", "func(a int, b string) string", []string{"constant: return $0", "parameter: return b"}},
		{"func(string) (string, error)", "func(a string) (string, error)", []string{"constant: return $0, $1", "parameter: return a, $0"}},
		{"func(string) any", "func(a string) any", []string{"constant: return $0", "parameter: return a"}},
		{"func(int) bool", "func(a int) bool", []string{"constant: return $0", "predicate: return a%2 == 0"}},
		{"func(string) bool", "func(a string) bool", []string{"constant: return $0", "predicate: return len(a)%2 == 0"}},
		{"func(any) bool", "func(a any) bool", []string{"constant: return $0", "predicate: _, ok := a.(int); return ok"}},
		{"func(float64) bool", "func(a float64) bool", []string{"constant: return $0"}},
		{"func(int, int) bool", "func(a, b int) bool", []string{"constant: return $0", "less: return a < b", "same: return a == b", "predicate: return a%2 == 0"}},
		{"func(any, any) bool", "func(a, b any) bool", []string{
			"constant: return $0", "less: return a.(int) < b.(int)", "less: return fmt.Sprint(a) < fmt.Sprint(b)", "same: return a == b",
		}},
		{"func([]int, []int) bool", "func(a, b []int) bool", []string{"constant: return $0", "less: return fmt.Sprint(a) < fmt.Sprint(b)"}},
		{"func(string, string) int", "func(a, b string) int", []string{"constant: return $0", "compare: return cmp.Compare(a, b)"}},
		{"func(string, string) int8", "func(a, b string) int8", []string{"constant: return $0", "compare: return int8(cmp.Compare(a, b))"}},
		{"func(string, string) uint8", "func(a, b string) uint8", []string{"constant: return $0"}},
		{"func(string, string) float64", "func(a, b string) float64", []string{"constant: return $0"}},
		{"func(any, any) int", "func(a, b any) int", []string{
			"constant: return $0", "compare: return cmp.Compare(a.(int), b.(int))", "compare: return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))",
		}},
		{"func([]int, []int) int", "func(a, b []int) int", []string{"constant: return $0", "compare: return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))"}},
		{"func(int, string) int", "func(a int, b string) int", []string{"constant: return $0", "parameter: return a"}},
		{"func(string) uint32", "func(a string) uint32", []string{"constant: return $0", "hash: return uint32(len(fmt.Sprint(a)))"}},
		{"func(float64) uint32", "func(a float64) uint32", []string{"constant: return $0", "hash: return uint32(a)"}},
		{"func(complex128) int", "func(a complex128) int", []string{"constant: return $0", "hash: return int(len(fmt.Sprint(a)))"}},
		{"func(...int)", "func(a ...int)", []string{"constant: "}},
		{"func(func(int) bool)", "func(a func(int) bool)", []string{"yield: for _, x := range $0 { if !a(x) { return } }", "constant: "}},
		{"func(func(int, string) bool)", "func(a func(int, string) bool)", []string{"yield: for _, x := range $0 { if !a(x, $1) { return } }", "constant: "}},
	} {
		t.Run(tt.typ, func(t *testing.T) {
			c := findSource(t, "func F(f "+tt.typ+") {}")
			var got []string
			for i := range c.Table.Ops {
				op := &c.Table.Ops[i]
				if op.Kind != seq.FuncLit || op.Shape == seq.Throw || op.Results[0] != operationOf(t, c, "F").Params[0] {
					continue
				}
				body, ok := strings.CutPrefix(op.Template, tt.header+" {")
				if !ok {
					t.Errorf("literal %s, want the header %s", op.Template, tt.header)
				}
				got = append(got, op.Shape.String()+": "+strings.TrimSpace(strings.TrimSuffix(body, "}")))
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// No literal is written for functions of too many parameters, or of types without a name here.
func TestNoFuncLiterals(t *testing.T) {
	for _, source := range []string{
		"func F(f func(a, b, c, d, e, f, g, h, i, j int)) {}",
		"type hidden struct{}\nfunc F(f func(hidden)) {}",
	} {
		c := findSource(t, source)
		for i := range c.Table.Ops {
			if op := &c.Table.Ops[i]; op.Kind == seq.FuncLit {
				t.Errorf("%s: %s", source, op.Template)
			}
		}
	}
}

// The adapter of a literal that mentions arguments copies these first.
func TestCapture(t *testing.T) {
	c := findSource(t, "func F(f func() (int, string)) {}")
	var got []string
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; op.Shape == seq.Constant {
			got = append(got, op.Adapter)
		}
	}
	want := []string{"$r0 = func(x0 int, x1 string) func() (int, string) { return func() (int, string) { return x0, x1 } }($0, $1)"}
	if !slices.Equal(got, want) {
		t.Errorf("adapters %q, want %q", got, want)
	}
}

// TestMakers lists the makers of the parameter of F by kind.
func TestMakers(t *testing.T) {
	for _, tt := range []struct {
		source, typ string
		kind        seq.Kind
		want        []string
	}{
		{"func F(x []string) {}", "[]string", seq.Elements, []string{"[]string{$*}"}},
		{"func F(x []string) {}", "[]string", seq.Convert, nil},
		{"func F(x []byte) {}", "[]byte", seq.Convert, []string{"[]byte($0)"}},
		{"func F(x []rune) {}", "[]rune", seq.Convert, []string{"[]rune($0)"}},
		{"func F(x [3]int) {}", "[3]int", seq.Elements, []string{"[3]int{$0, $1, $2}"}},
		{"func F(x [8]int) {}", "[8]int", seq.Elements, []string{"[8]int{$0, $1, $2, $3, $4, $5, $6, $7}"}},
		{"func F(x [9]int) {}", "[9]int", seq.Elements, []string{"[9]int{$0}"}},
		{"func F(x [0]int) {}", "[0]int", seq.Elements, []string{"[0]int{}"}},
		{"func F(x map[string]int) {}", "map[string]int", seq.Elements, []string{
			"map[string]int{}", "map[string]int{$0: $1}",
			"func(a string, b int, c string, d int) map[string]int { return map[string]int{a: b, c: d} }($0, $1, $2, $3)",
		}},
		{"func F(x map[any]int) {}", "map[any]int", seq.Elements, []string{"map[any]int{}", "map[any]int{$0: $1}"}},
		{"func F(x chan int) {}", "chan int", seq.Chan, []string{"make(chan int)", "make(chan int, 4)"}},
		{"func F(x <-chan int) {}", "chan int", seq.Chan, []string{"make(chan int)", "make(chan int, 4)"}},
		{"func F(x struct{ A int; b string }) {}", "struct{A int; b string}", seq.Composite, nil},
		{"func F(x struct{ A int }) {}", "struct{A int}", seq.Composite, []string{"struct{A int}{}", "struct{A int}{A: $0}"}},
		{"func F(x struct{}) {}", "struct{}", seq.Composite, []string{"struct{}{}"}},
		{"func F(x *int) {}", "*int", seq.Composite, []string{"new(int)", "func(x int) *int { return &x }($0)"}},
		{"func F(x *error) {}", "*error", seq.Composite, []string{"new(error)", "func(x error) *error { return &x }($0)"}},
		{"type I interface{ M() }; func F(x *I) {}", "*shop.I", seq.Composite, []string{"new(shop.I)"}},
		{"func F(x *[]int) {}", "*[]int", seq.Composite, []string{"func(x []int) *[]int { return &x }($0)"}},
	} {
		t.Run(fmt.Sprint(tt.typ, " ", tt.kind), func(t *testing.T) {
			slices.Sort(tt.want)
			if got := makersOf(findSource(t, tt.source), tt.kind, tt.typ); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
