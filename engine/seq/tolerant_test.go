package seq

import (
	"strings"
	"testing"
)

func TestParseTolerant(t *testing.T) {
	f := newFixture()
	p := mustParser(t, f.Table)
	for _, test := range []struct{ name, text, want string }{
		{"whole", "v0 := queue.New(2); v0.Put(1)", "v0 := queue.New(2)\nv0.Put(1)\n"},
		{"one is no Go", "v0 := queue.New(2); v0.P ut(1); v0.Put(3)", "v0 := queue.New(2)\nv0.Put(3)\n"},
		{"one means nothing", "v0 := queue.New(2); v0.Fut(1); v0.P(ut; v0.Put(3)", "v0 := queue.New(2)\nv0.Put(3)\n"},
		{"bracket not closed", "v0 := queue.New(2); v0.Put(1; v0.Put(3)\nv0.Put(4)", "v0 := queue.New(2)\nv0.Put(3)\nv0.Put(4)\n"},
		{"bracket that closes none", "v0 := queue.New(2)); v0.Put(3)", ""},
		{"the same at the end", "v0 := queue.New(2); v0.Put(3))", "v0 := queue.New(2)\n"},
		{"quote not closed", "v0 := queue.New(2); v0.Put(\"1); v0.Put(3)\nv0.Put(4)", "v0 := queue.New(2)\nv0.Put(3)\nv0.Put(4)\n"},
		{"semicolon in a string", "v0 := queue.New(2); v0.Put(\"a;b\"); x y", "v0 := queue.New(2)\nv0.Put(\"a;b\")\n"},
		{"end of the function", "v0 := queue.New(2)\n}; func g() {\nv0.Put(3)", "v0 := queue.New(2)\nv0.Put(3)\n"},
		{"bytes", "\x00\xff;{;\x80\n'", ""},
		{"empty", "", ""},
		{"comment", "v0 := queue.New(2) // a ) in a comment\nx y", "v0 := queue.New(2)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := f.String(p.ParseTolerant(test.text)); got != test.want {
				t.Errorf("ParseTolerant(%q):\n%swant\n%s", test.text, got, test.want)
			}
		})
	}
}

// Broken statements must not cost more than a look at the rest for each.
func TestParseTolerantIsBounded(t *testing.T) {
	p := mustParser(t, newFixture().Table)
	for _, unit := range []string{"(;", "\"\n", "`;", "x y;", "{\n"} {
		if s := p.ParseTolerant(strings.Repeat(unit, MaxBytes/len(unit))); len(s) > 0 {
			t.Errorf("%q repeated is %d steps, want none", unit, len(s))
		}
	}
}

// ParseTolerant takes all text that ParseLenient takes. Its result always passes Check,
// and is the same with a broken statement after the text.
func FuzzParseTolerant(f *testing.F) {
	fix := newFixture()
	p := mustParser(f, fix.Table)
	f.Add("v0 := queue.New(2); v0.Put(1)")
	f.Add("v0 := queue.New(2; v0.Put(\"1)")
	f.Fuzz(func(t *testing.T, text string) {
		s := p.ParseTolerant(text)
		if err := s.Check(fix.Table); err != nil {
			t.Fatal(err)
		}
		whole, _, err := p.ParseLenient(text)
		if err != nil {
			return
		}
		if !whole.Equal(s) {
			t.Fatalf("got\n%swant\n%s", fix.String(s), fix.String(whole))
		}
		if got := p.ParseTolerant(text + "\n)x"); len(text)+3 <= MaxBytes && len(whole) < MaxSteps && !got.Equal(s) {
			t.Fatalf("with a broken statement behind got\n%swant\n%s", fix.String(got), fix.String(s))
		}
	})
}
