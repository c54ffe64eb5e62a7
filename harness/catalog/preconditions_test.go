package catalog

import (
	"slices"
	"testing"
)

// TestPanicSentence finds the sentence or the guard by which F says that it panics.
func TestPanicSentence(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"documented", "// F takes a root. It panics if n is negative.\nfunc F(n int) {}", "It panics if n is negative."},
		{"run-time error", "// F causes a run-time error for 0.\nfunc F(n int) {}", "F causes a run-time error for 0."},
		{"denied", "// F never panics.\nfunc F(n int) {}", ""},
		{"denied briefly", "// F doesn't panic.\nfunc F(n int) {}", ""},
		{"denied in print", "// F doesn’t panic.\nfunc F(n int) {}", ""},
		{"instead of a panic", "// F returns 0 instead of panicking.\nfunc F(n int) int { return n }", ""},
		{"duty", "// F halves n. Callers must pass even n.\nfunc F(n int) {}", "Callers must pass even n."},
		{"panic before duty", "// N must be even. F panics for 0.\nfunc F(n int) {}", "F panics for 0."},
		{"duty of a function that returns an error", "// Callers must pass even n.\nfunc F(n int) error { return nil }", ""},
		{"panic of a function that returns an error", "// F panics for 0.\nfunc F(n int) error { return nil }", "F panics for 0."},
		{"type that promises", "// A Split is never called with an empty b. It cuts.\ntype Split func(b string) int\nfunc F(b string) int { return 0 }", "A Split is never called with an empty b."},
		{"type of another signature", "// A Split is never called with an empty b.\ntype Split func(b []int) int\nfunc F(b string) int { return 0 }", ""},
		{"like another", "// F is like [G], but faster.\nfunc F(n int) {}\n// G panics on Mondays.\nfunc G(n int) {}", "G panics on Mondays."},
		{"like one that does not", "// F is like G.\nfunc F(n int) {}\n// G never panics.\nfunc G(n int) {}", ""},
		{"like a method, not panicking", "// F is like G but does not panic.\nfunc F(n int) {}\n// G panics.\nfunc G(n int) {}", ""},

		{"guard", `func F(n int) { if n < 0 { panic("negative") } }`, "if n < 0 { panic(…) }"},
		{"documentation before guard", "// F panics if n < 0.\nfunc F(n int) { if n < 0 { panic(n) } }", "F panics if n < 0."},
		{"guard on a local", `func F(s string) { n := len(s); if n > 3 { panic("long") } }`, "if n > 3 { panic(…) }"},
		{"guard with its own local", `func F(s string) { if n := len(s); n > 3 { panic("long") } }`, "if n > 3 { panic(…) }"},
		{"guard on no argument", "var closed bool\nfunc F(n int) { if closed { panic(1) } }", ""},
		{"guard behind a loop", `func F(n int) { for range 3 {}; if n < 0 { panic("x") } }`, ""},
		{"guard behind a return", "func F(n int) { return; if n < 0 { panic(1) } }", ""},
		{"guard behind a call", "func F(n int) { println(); if n < 0 { panic(1) } }", "if n < 0 { panic(…) }"},
		{"guard that returns", "func F(n int) { if n < 0 { return } }", ""},
		{"empty guard", "func F(n int) { if n < 0 {} }", ""},
		{"guard in a guard", "func F(n int) { if n < 0 { if n < 1 { panic(1) } } }", ""},
		{"guard of a bug", `func F(n int) { if n < 0 { panic("internal error: n") } }`, ""},
		{"guard of a bug in other words", `func F(n int) { if n < 0 { panic("this should never happen") } }`, ""},
		{"guard of values that contradict each other", `func F(n int) { if n < 0 { panic("corrupt table") } }`, ""},
		{"guard of another panic", "func F(n int) { panic := func(any) {}; if n < 0 { panic(1) } }", ""},
		{"always", `func F(n int) { panic("not implemented") }`, "always { panic(…) }"},
		{"panic at the end", "func F(n int) { println(n); panic(1) }", ""},
		{"case", `func F(n int) { switch { case n == 3, n < 0: panic("x") } }`, "if n == 3 { panic(…) }"},
		{"case of no argument", "var on bool\nfunc F(n int) { switch { case on: panic(1) } }", ""},
		{"switch", `func F(n int) { switch n { case 1: println(); default: panic("x") } }`, "switch n { panic(…) }"},
		{"switch without panic", "func F(n int) { switch n { case 1: return } }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pre := operationOf(t, findSource(t, tt.source), "F").Pre
			if pre.Sentence != tt.want || pre.Panics != (tt.want != "") {
				t.Errorf("sentence %q, panics %v; want %q", pre.Sentence, pre.Panics, tt.want)
			}
		})
	}
}

// A method's receiver type, and the package, may name the method in a sentence on panics.
func TestPanicSentenceElsewhere(t *testing.T) {
	s := checkSource(t, "example.com/q", `// Package q has queues. Drop panics without a license.
package q

// A Q is a queue. Get panics if it is empty. Put never panics.
type Q struct{ list []int }

func (q *Q) Get() int  { return q.list[0] }
func (q *Q) GetAll()   {}
func (q *Q) Put(n int) {}
func Drop(q *Q)        {}
func Get(q Q)          {}
`)
	c := find(t, s.Input)
	for short, want := range map[string]string{
		"(*Q).Get": "Get panics if it is empty.", "(*Q).GetAll": "", "(*Q).Put": "", "Get": "", "Drop": "Drop panics without a license.",
	} {
		if got := operationOf(t, c, short).Pre.Sentence; got != want {
			t.Errorf("%s: %q, want %q", short, got, want)
		}
	}
}

// TestPanicMessages finds the constant starts of the texts that F panics with.
func TestPanicMessages(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"literal", `func F() { panic("a") }`, []string{"a"}},
		{"constant", "const text = \"a\"\nfunc F() { panic(text) }", []string{"a"}},
		{"sum", `func F(s string) { panic("a: " + s) }`, []string{"a: "}},
		{"parentheses", `func F(s string) { panic(("a: " + s) + s) }`, []string{"a: "}},
		{"difference", `func F(n int) { panic(3 - n) }`, nil},
		{"format", "import \"fmt\"\nfunc F(n int) { panic(fmt.Sprintf(\"a %d b\", n)) }", []string{"a "}},
		{"no format", "import \"fmt\"\nfunc F(n int) { panic(fmt.Sprint(\"a %d\", n)) }", []string{"a %d"}},
		{"error", "import \"errors\"\nfunc F() { panic(errors.New(\"a\")) }", []string{"a"}},
		{"variable", "import \"errors\"\nvar errA = errors.New(\"a\")\nfunc F() { panic(errA) }", []string{"a"}},
		{"call without arguments", "func text() string { return \"a\" }\nfunc F() { panic(text()) }", nil},
		{"anything", "func F(x any) { panic(x) }", nil},
		{"of a bug", `func F() { panic("unreachable") }`, nil},
		{"two, sorted, each once", `func F(n int) { if n < 0 { panic("b") }; if n > 0 { panic("a") }; panic("b") }`, []string{"a", "b"}},
		{"of a function that it calls", "func F() { g() }\nfunc g() { panic(\"a\") }", []string{"a"}},
		{"of a generic function", "func F() { g[int](); h[int, int]() }\nfunc g[T any]() { panic(\"a\") }\nfunc h[T, U any]() { panic(\"b\") }", []string{"a", "b"}},
		{"of a method", "type t int\nfunc (t) g() { panic(\"a\") }\nfunc F() { t(0).g() }", []string{"a"}},
		{"of itself", "func F() { F(); panic(\"a\") }", []string{"a"}},
		{"two calls away", "func F() { g() }\nfunc g() { h() }\nfunc h() { panic(\"a\") }", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := operationOf(t, findSource(t, tt.source), "F").Pre.Messages; !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestNilOK finds the parameters of F, or of (*T).F, that may be nil.
func TestNilOK(t *testing.T) {
	for _, tt := range []struct {
		name, source, short string
		want                []bool
	}{
		{"tested", "func F(p *int) int { if p == nil { return 0 }; return *p }", "F", []bool{true}},
		{"tested for not", "func F(p *int) int { if p != nil { return *p }; return 0 }", "F", []bool{true}},
		{"not tested", "func F(p *int) int { return *p }", "F", []bool{false}},
		{"refused", "func F(p *int) int { if p == nil { panic(1) }; return *p }", "F", []bool{false}},
		{"refused and tested", "func F(p *int) bool { if p == nil { panic(1) }; return p != nil }", "F", []bool{false}},
		{"not refused", "func F(p *int) bool { if p != nil { panic(1) }; return true }", "F", []bool{true}},
		{"another variable", "var v *int\nfunc F(p *int) bool { return v == nil }", "F", []bool{false}},
		{"of two", "func F(p, q *int) bool { return q == nil }", "F", []bool{false, true}},
		{"set before", "func F(p *int) bool { p = new(int); return p == nil }", "F", []bool{false}},
		{"set after", "func F(p *int) { if p == nil { p = new(int) } }", "F", []bool{true}},
		{"compared with another", "func F(p, q *int) bool { return p == q }", "F", []bool{false, false}},
		{"blank", "func F(_ *int, q []int) bool { return q == nil }", "F", []bool{false, true}},
		{"without names", "// F takes nil.\nfunc F(*int) {}", "F", []bool{false}},
		{"receiver", "type T struct{ n int }\nfunc (t *T) F() int { if t == nil { return 0 }; return t.n }", "(*T).F", []bool{true}},
		{"value of a pointer receiver", "type T []int\nfunc (t T) F() bool { return t == nil }\nfunc (t *T) Add() {}", "(T).F", []bool{false}},

		{"documented", "// F sorts. If p is nil, F sorts nothing.\nfunc F(p *int) {}", "F", []bool{true}},
		{"documented before", "// A nil p counts as 0.\nfunc F(p, q *int) {}", "F", []bool{true, false}},
		{"documented of the only one", "// Passing nil means all.\nfunc F(list []int, n int) {}", "F", []bool{true, false}},
		{"documented of one of two", "// Passing nil means all.\nfunc F(list []int, p *int) {}", "F", []bool{false, false}},
		{"documented of an integer", "// F is fine if n is nil.\nfunc F(n int) {}", "F", []bool{false}},
		{"documented of its result", "// F returns nil if there is none.\nfunc F(p *int) *int { return p }", "F", []bool{false}},
		{"documented not to be", "// The list can be empty, but nil cannot be given.\nfunc F(list []int) {}", "F", []bool{false}},
		{"documented panic", "// F panics if p is nil.\nfunc F(p *int) {}", "F", []bool{false}},
		{"documented duty", "// p must not be nil.\nfunc F(p *int) {}", "F", []bool{false}},
		{"documented of what it points to", "// F allocates if *list is nil.\nfunc F(list *[]int) {}", "F", []bool{false}},
		{"documented of what is returned", "// If there is none, the returned pointer is nil.\nfunc F(p *int) *int { return p }", "F", []bool{false}},
		{"documented of its errors", "// The errors of the result will always be nil.\nfunc F(f func()) *int { return nil }", "F", []bool{false}},
		{"documented of it by name", "// Pass nil for list if pivot counts.\nfunc F(list []int, pivot int) {}", "F", []bool{true, false}},
		{"documented with a word for a name", "// A nil means all.\nfunc F(list []int, A int) {}", "F", []bool{true, false}},
		{"receiver not meant", "type T struct{ n int }\n// F treats nil as empty.\nfunc (t *T) F(list []int) {}", "(*T).F", []bool{false, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := operationOf(t, findSource(t, tt.source), tt.short).Pre.NilOK; !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
