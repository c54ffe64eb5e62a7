package build

import (
	"reflect"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"f(forayRest)", "f(forayRest...)"},
		{"p.F(a0, g(1), forayRest)", "p.F(a0, g(1), forayRest...)"},
		{"a0.M(forayRest).N()", "a0.M(forayRest...).N()"},
		{"[]int{forayRest}", "append([]int{}, forayRest...)"},
		{"p.T{a0, forayRest}", "append(p.T{a0}, forayRest...)"},
		{"g([]int{a0, forayRest})", "g(append([]int{a0}, forayRest...))"},
		{"[2]p.T{forayRest}", "func() (a [2]p.T) { copy(a[:], forayRest); return }()"},
		{"I(&T{a0, forayRest})", "I(func() *T { x := append(T{a0}, forayRest...); return &x }())"},
		{"forayRest", ""},
		{"f(forayRest, 1)", ""},
		{"f(", ""},
	} {
		got, err := spread(tt.in)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("spread(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestExpand(t *testing.T) {
	got := expand(`f($0, "$1\"$2", $10, '$', $r3, $x, $*)`, func(v variable) string {
		return "<" + string(v.kind) + string(rune('0'+v.n)) + ">"
	})
	if want := `f(<a0>, "$1\"$2", <a:>, '$', <r3>, $x, <*0>)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInPackage(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"*list.node", "*node"},
		{"map[list.key]other.T", "map[key]other.T"},
		{"list.node[list.node[int]]", "node[node[int]]"},
		{"struct{ list list.node }", "struct{ list node }"},
		{"unexported type", ""},
	} {
		if got := inPackage(tt.name, "list"); got != tt.want {
			t.Errorf("inPackage(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCutFlag(t *testing.T) {
	for _, tt := range []struct {
		flags []string
		value string
		rest  []string
	}{
		{[]string{"-mod=vendor", "-race"}, "vendor", []string{"-race"}},
		{[]string{"--mod", "mod", "-tags", "a,b"}, "mod", []string{"-tags", "a,b"}},
		{[]string{"-tags", "-mod", "-v"}, "", []string{"-tags", "-mod", "-v"}},
		{[]string{"-race", "-mod=a", "-mod=b"}, "b", []string{"-race"}},
	} {
		value, rest := CutFlag(tt.flags, "mod")
		if value != tt.value || !reflect.DeepEqual(rest, tt.rest) {
			t.Errorf("CutFlag(%q) = %q, %q; want %q, %q", tt.flags, value, rest, tt.value, tt.rest)
		}
	}
}

func TestDiagnostics(t *testing.T) {
	out := "# p\n./a.go:3:4: too many arguments\n\thave (int)\n\t./b.go:1:1: other place\npackage q\n\tx/b_test.go:7:2: use of internal package q/internal not allowed\nlink: failed\n/x y/c.go:1: bad\n"
	want := []diagnostic{
		{"./a.go", 3, 4, "too many arguments\n\thave (int)\n\t./b.go:1:1: other place"},
		{"x/b_test.go", 7, 2, "use of internal package q/internal not allowed"},
		{"/x y/c.go", 1, 0, "bad"},
	}
	if got := diagnostics(out); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMoveImports(t *testing.T) {
	src := "package p\n\nimport (\n\t\"foray.test/engine/seq\" // foray.test/engine/seq\n\tx \"foray.test/coverage\"\n\t\"foray.test/harness/exhaustive\"\n\t\"fmt\"\n)\n\nvar s = \"foray.test/engine\"\n"
	want := "package p\n\nimport (\n\t\"forayrt/engine/seq\" // foray.test/engine/seq\n\tx \"forayrt/coverage\"\n\t\"foray.test/harness/exhaustive\"\n\t\"fmt\"\n)\n\nvar s = \"foray.test/engine\"\n"
	got, err := moveImports("p.go", []byte(src))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestLanguage(t *testing.T) {
	for version, want := range map[string]string{
		"go1.26.8": "go1.26", "go1.27rc1": "go1.27", "go1.26": "go1.26",
		"devel go1.28-abcdef Mon": "go1.28", "go1.26.8 X:loopvar": "go1.26", "go1.26-custom": "go1.26",
	} {
		if got := (&Toolchain{Version: version}).Language(); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}
