package instrument_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSuccessors(t *testing.T) {
	tests := []struct {
		name string
		src  string // after the package clause
		want string // "condition side: conditions after it", if there are some
	}{
		{
			name: "early return",
			src:  "func F(a, b, c bool) int {\n\tif a { return 1 }\n\tif b { if c { return 2 } }\n\treturn 3\n}",
			want: "a false: b\nb true: c",
		},
		{
			name: "operands",
			src:  "func F(a, b, c bool) { if a && (b || !c) { g(a) } }\nfunc g(d bool) bool { return !d }",
			want: "a true: b\nb false: c\nb true: d\nc false: d",
		},
		{
			name: "loops",
			src:  "func F(a, b, c, d bool, s []int) { for a { if b { continue }; if c { break } }; for range s { if d { return } }; for { if a { break } }; if b { } }",
			want: "a false: range s\na true: b\nb false: c\nb true: range s\nc false: range s\nc true: range s\nrange s empty: a\nrange s non-empty: d\nd false: a\na true: b",
		},
		{
			name: "switch",
			src:  "func F(n int, a, b, c, d bool) { switch n { case 1: if a { }; fallthrough; case 2: if b { }; case 3: return }; switch { case c: return; case d: default: if a { } }; }",
			want: "switch n case 1: a\nswitch n case 2: b\nswitch n no match: c\na false: b\na true: b\nb false: c\nb true: c\nc false: d\nd false: a",
		},
		{
			name: "calls lead in and past",
			src:  "type i interface { M(); N() }\ntype t int\nfunc (t) M() { if y { } }\nfunc (*t) N() { none(); other() }\nfunc none() {}\nfunc other() { if z { other() } }\nvar x, y, z bool\nfunc F(v i, a, b bool) { if a { v.M() } else { v.N() }; if b { func() { if x { } }() } }",
			want: "z true: z\na false: z, b\na true: y, b\nb true: x",
		},
		{
			name: "panic and comma-ok",
			src:  "func F(m map[int]int, a bool) { if a { panic(1) }; v, ok := m[1]; g(v, ok); if a { } }\nfunc g(int, bool) {}",
			want: "a false: ok of m[1]\nok of m[1] false: a\nok of m[1] true: a",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conds := rewriteString(t, "", "package p\n"+tt.src+"\n").Conditions
			var got []string
			for _, c := range conds {
				for i, behind := range c.Successors {
					var texts []string
					for _, next := range behind {
						texts = append(texts, strings.TrimPrefix(conds[next].Text, "switch "))
					}
					if len(texts) > 0 {
						got = append(got, fmt.Sprintf("%s %s: %s", c.Text, c.Sides[i], strings.Join(texts, ", ")))
					}
				}
			}
			if want := strings.Split(tt.want, "\n"); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}
