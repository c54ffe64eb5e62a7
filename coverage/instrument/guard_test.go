package instrument_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestGuarded(t *testing.T) {
	const prelude = `package p
type node struct { next *node; n int; s []int }
var global int
func g(...any) int { return 1 }
`
	tests := []struct {
		name string
		src  string // the body of a function with parameters (n, m int, u uint, f float64, s []int, x bool, p *node, e any)
		want string // "condition side: why", the line counted from the body's
	}{
		{
			name: "same test again",
			src:  "if n == m { return }\nif m == n { g() }\nif n != m { g() }",
			want: "m == n true: n == m, 1\nn != m false: n == m, 1",
		},
		{
			name: "early return",
			src:  "if len(s) == 0 { return }\nfor range s { }\nif len(s) > 0 { }",
			want: "range s empty: len(s) == 0, 1\nlen(s) > 0 false: len(s) == 0, 1",
		},
		{
			name: "last of all ways to compare",
			src:  "switch c := g(); {\ncase c < 0:\ncase c == 0:\ncase c > 0:\n}\nswitch { case n < m: case n == m: case m < n: }",
			want: "c > 0 false: c == 0, 3\nm < n false: n == m, 6",
		},
		{
			name: "not of floats",
			src:  "switch { case f < 1: case f == 1: case f > 1: }",
		},
		{
			name: "bounds",
			src:  "if n < 3 { return }\nif n >= 3 && n != 2 && n > 3 { }\nif u < 0 || len(s) < 0 { }",
			want: "n >= 3 false: n < 3, 1\nn != 2 false: n >= 3, 2\nu < 0 true: type of the operands\nlen(s) < 0 true: type of the operands",
		},
		{
			name: "assigned in between",
			src:  "if n == m { return }\nn++\nif n == m { }\nif x { return }\nif m > 3 { x = true }\nif x { }\nif p == nil { return }\np = p.next\nif p == nil { }",
		},
		{
			name: "memory",
			src:  "if p.n == 0 { return }\nif p.n == 0 { }\ng()\nif p.n == 0 { return }\np.next.n = 0\nif p.n == 0 { return }\nif global > 0 { return }\nif global > 0 { }",
			want: "p.n == 0 true: p.n == 0, 1\nglobal > 0 true: global > 0, 7",
		},
		{
			name: "calls do not change plain variables",
			src:  "if n == 0 { return }\ng(n)\nif n == 0 { }",
			want: "n == 0 true: n == 0, 1",
		},
		{
			name: "unless they are captured or pointed to",
			src:  "if n == 0 || m == 0 { return }\nfunc() { n = 0 }()\nq := &m\n*q = 0\nif n == 0 { }\nif m == 0 { }",
		},
		{
			name: "loops",
			src:  "if n == 0 || m == 0 { return }\nfor n > 0 { if m == 0 { }; if n <= 0 { }; n-- }\nif n == 0 { }\nfor { if x { break } }\nif x { }\nfor !x { }\nif x { }",
			want: "m == 0 true: m == 0, 1\nn <= 0 true: n > 0, 2\nx false: x, 6",
		},
		{
			name: "a range that changes what it ranges over",
			src:  "for range s { if len(s) == 0 { } }\nfor range s { if len(s) == 0 { }; s = s[1:] }",
			want: "len(s) == 0 true: range s, 1",
		},
		{
			name: "ways that meet",
			src:  "if x { if n == 0 { return } } else if n == 0 { return }\nif n == 0 { }\nif x && m == 0 { return }\nif m == 0 { }",
			want: "n == 0 true: n == 0, 1",
		},
		{
			name: "branches of a switch",
			src:  "switch n { case 1: if x { return }; case 2: if x { break }; default: return }\nif x { }\nswitch { case x: n = 0; fallthrough; case m > 0: if x { } }",
		},
		{
			name: "jumps",
			src:  "L:\nif x { return }\nif x { }\ngoto L",
		},
		{
			name: "other variable of the name",
			src:  "if n == 0 { return }\n{ n := g(); if n == 0 { } }\nif n := n; n == 0 { }",
		},
		{
			name: "operands",
			src:  "if x || n == 0 && x { }\nif p != nil && (p == nil || p.next != nil) { }\nif e != nil { if e == nil { } }",
			want: "x true: x, 1\np == nil true: p != nil, 2\ne == nil true: e != nil, 3",
		},
		{
			name: "after a panic",
			src:  "if n < 0 { panic(n) }\nif n < 0 { }",
			want: "n < 0 true: n < 0, 1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := prelude + "func F(n, m int, u uint, f float64, s []int, x bool, p *node, e any) {\n" + tt.src + "\n}\n"
			var got []string
			for _, c := range rewriteString(t, "", src).Conditions {
				for i, why := range c.Guarded {
					if text, line, ok := strings.Cut(why, " on line "); ok {
						var n int
						fmt.Sscan(line, &n)
						why = fmt.Sprintf("%s, %d", text, n-strings.Count(prelude, "\n")-1)
					}
					if why != "" {
						got = append(got, c.Text+" "+c.Sides[i]+": "+why)
					}
				}
			}
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, "\n")
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}
