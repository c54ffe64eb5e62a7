package seq

import (
	"slices"
	"strings"
	"testing"
)

// A small module in three versions: Get gets a second result, then Put another
// parameter and New another name. The text of the entries alone does not tell the
// former two.
func drifting(version int) *Table {
	t := &Table{
		Package: "example.com/q", Name: "q", Imports: []Import{{"q", "example.com/q"}},
		Types: []Type{
			{},
			{Name: "int", Literal: Int, Bits: 64, Basic: true, Assignable: []TypeID{1}},
			{Name: "*q.Q", Nilable: true, Assignable: []TypeID{2}},
			{Name: "bool", Literal: Bool, Basic: true, Assignable: []TypeID{3}},
			{Name: "int8", Literal: Int, Bits: 8, Basic: true, Assignable: []TypeID{4}},
		},
		Ops: []Operation{
			{Name: "example.com/q.New func() *example.com/q.Q", Short: "New", Kind: Func, API: true, Template: "q.New()", Results: []TypeID{2}},
			{Name: "(*example.com/q.Q).Put func(int)", Short: "(*Q).Put", Kind: Method, API: true, Template: "$0.Put($1)", Params: []TypeID{2, 1}},
			{Name: "(*example.com/q.Q).Get func() int", Short: "(*Q).Get", Kind: Method, API: true, Template: "$0.Get()", Params: []TypeID{2}, Results: []TypeID{1}},
			{Name: "field example.com/q.Q.N", Short: "Q.N", Kind: FieldGet, Template: "$0.N", Params: []TypeID{2}, Results: []TypeID{1}},
		},
	}
	if version >= 2 {
		t.Ops[2].Name, t.Ops[2].Results = "(*example.com/q.Q).Get func() (int, bool)", []TypeID{1, 3}
	}
	if version >= 3 {
		t.Ops[0].Name, t.Ops[0].Template = "example.com/q.Make func() *example.com/q.Q", "q.Make()"
		t.Ops[1].Name, t.Ops[1].Params = "(*example.com/q.Q).Put func(int8)", []TypeID{2, 4}
	}
	return t
}

func TestCalls(t *testing.T) {
	table := drifting(1)
	s, err := table.Parse("v0 := q.New()\nv0.Put(1)\nv0.Put(2)\nv1 := v0.N\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"(*Q).Put func(int)", "New func() *Q"}
	if got := table.Calls(s); !slices.Equal(got, want) {
		t.Errorf("Calls = %q, want %q", got, want)
	}
}

func TestSignatureChanges(t *testing.T) {
	for _, test := range []struct {
		name, text string
		from, to   int
		want       string // the remaining steps
		dropped    []string
	}{
		{"same", "v0 := q.New()\nv0.Put(1)\n", 1, 1, "v0 := q.New()\nv0.Put(1)\n", nil},
		{"a result more", "v0 := q.New()\nv0.Put(1)\nv1 := v0.Get()\nv0.Put(v1)\n", 1, 2,
			"v0 := q.New()\nv0.Put(1)\n", nil}, // by the parser: see TestParseLenient
		{"a result more that no one takes", "v0 := q.New()\nv0.Get()\nv0.Put(1)\n", 1, 2,
			"v0 := q.New()\nv0.Put(1)\n", []string{"(*Q).Get: is now func() (int, bool), was func() int"}},
		{"a result less", "v0 := q.New()\nv1, v1b := v0.Get()\nv0.Put(v1)\n", 2, 1, "v0 := q.New()\n", nil},
		{"another parameter", "v0 := q.Make()\nv0.Put(1)\nv1, v1b := v0.Get()\n", 3, 3,
			"v0 := q.Make()\nv0.Put(1)\nv1, v1b := v0.Get()\n", nil},
		{"all of it", "v0 := q.New()\nv0.Put(1)\n", 1, 3, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			from := drifting(test.from)
			was, err := from.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			to := drifting(test.to)
			p, err := NewParser(to)
			if err != nil {
				t.Fatal(err)
			}
			s, _, err := p.ParseLenient(test.text)
			if err != nil {
				t.Fatal(err)
			}
			rest, dropped := to.SignatureChanges(s, from.Calls(was))
			if err := rest.Check(to); err != nil {
				t.Fatal(err)
			}
			want, err := to.Parse(test.want)
			if err != nil {
				t.Fatal(err)
			}
			if !rest.Equal(want) {
				t.Errorf("left %q, want %q", to.String(rest), test.want)
			}
			var why []string
			for _, d := range dropped {
				why = append(why, d.Text+": "+d.Reason)
			}
			if !slices.Equal(why, test.dropped) {
				t.Errorf("dropped %q, want %q", why, test.dropped)
			}
		})
	}
	// A parameter that a literal fits as well before as after.
	old, next := drifting(2), drifting(3)
	next.Ops[0] = old.Ops[0]
	text := "v0 := q.New()\nv0.Put(1)\nv0.Get()\n"
	was, err := old.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	now, err := next.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	rest, dropped := next.SignatureChanges(now, old.Calls(was))
	if got, want := next.String(rest), "v0 := q.New()\nv1, v1b := v0.Get()\n"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
	if len(dropped) != 1 || dropped[0].Error() != "seq: 2:1: (*Q).Put: is now func(int8), was func(int)" {
		t.Errorf("dropped %v, want Put", dropped)
	}
}

func TestRequalify(t *testing.T) {
	for _, test := range [][2]string{
		{"v0 := q.New()", "v0 := r.New()"},
		{"v0.q.F(q.A, *q.T)", "v0.q.F(r.A, *r.T)"},
		{`v0.Put("q.New", 'q', ` + "`q.x`" + `) // q.New`, `v0.Put("q.New", 'q', ` + "`q.x`" + `) // q.New`},
		{"qq.New(); vq.New(); q", "qq.New(); vq.New(); q"},
		{"[]q.T{}; map[string]*q.T{}", "[]r.T{}; map[string]*r.T{}"},
		{"v0 := func(a ...q.T) {}; q.F(v0...)", "v0 := func(a ...r.T) {}; r.F(v0...)"},
	} {
		if got := Requalify(test[0], "q", "r"); got != test[1] {
			t.Errorf("Requalify(%q) = %q, want %q", test[0], got, test[1])
		}
		if got := Requalify(test[0], "q", "q"); got != test[0] {
			t.Errorf("Requalify(%q) to its own name = %q", test[0], got)
		}
	}
}

// Any text can be requalified and comes back; nothing in it is lost on the way.
func FuzzRequalify(f *testing.F) {
	f.Add("v0 := q.New(\"q.New\")", "q", "r")
	f.Add("q.q.q; `q.", "q", "q2")
	f.Fuzz(func(t *testing.T, text, old, name string) {
		there := Requalify(text, old, name)
		if old == name && there != text {
			t.Fatalf("%q to its own name: %q", text, there)
		}
		if !strings.Contains(text, old+".") && there != text {
			t.Fatalf("%q without %q: %q", text, old, there)
		}
		if !strings.Contains(text, name) {
			if back := Requalify(there, name, old); back != text && isWord(old) && isWord(name) {
				t.Fatalf("%q, there %q, and back %q", text, there, back)
			}
		}
	})
}

func isWord(s string) bool {
	for i := range len(s) {
		if !isIdentByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// Lines returns its own output unchanged, and each line is Go by itself.
func FuzzLines(f *testing.F) {
	f.Add("v0 := q.New(2); v0.Put(\"a; b\")")
	f.Add("x(); }; func _() { y()")
	f.Fuzz(func(t *testing.T, text string) {
		lines, ok := Lines(text)
		if !ok {
			return
		}
		if again, ok := Lines(lines); !ok || again != lines {
			t.Fatalf("%q, then %q", lines, again)
		}
	})
}
