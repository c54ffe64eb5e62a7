package catalog

import (
	"slices"
	"strings"
	"testing"
)

// Directives stand on a function or on the type of its receiver; others are problems.
func TestDirectives(t *testing.T) {
	c := findSource(t, `
// F panics if n is negative.
//foray:expect panic the table is full
func F(n int) {}

//foray:ignore put-get add-has
//foray:ignore get-get
func G(n int) {}

//foray:ignore
func H() {}

// foray:ignore is no directive here
func I() {}

//foray:expect
//foray:forget
func J() {}

//foray:expect wait for the other side
type T struct{ n int }

func (t *T) A() {}

//foray:ignore put-get
func (t *T) B() {}

type (
	//foray:ignore get-get
	U struct{ n int }

	//foray:unknown
	V[E any] struct{ e E }
)

func (u *U) A() {}

func (v *V[E]) A() {}
func (v *V[E]) B() {}
`)
	for short, want := range map[string]string{
		"F": "//foray:expect panic the table is full", "G": "put-get add-has get-get", "I": "", "J": "",
		"(*T).A": "waits", "(*T).B": "put-get waits", "(*U).A": "get-get",
	} {
		op := operationOf(t, c, short)
		got := slices.Clone(op.Ignore)
		if op.Pre.Panics {
			got = append(got, op.Pre.Sentence)
		}
		if op.Pre.Blocks {
			got = append(got, "waits")
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", short, s, want)
		}
	}
	if got := exclusion(c, "H"); got != "//foray:ignore" {
		t.Errorf("H is excluded because %q", got)
	}
	const want = ": want //foray:expect panic, //foray:expect wait or //foray:ignore"
	problems := []string{"shop.go:17: //foray:expect" + want, "shop.go:18: //foray:forget" + want, "shop.go:33: //foray:unknown" + want}
	if !slices.Equal(c.Problems, problems) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(c.Problems, "\n"), strings.Join(problems, "\n"))
	}
}
