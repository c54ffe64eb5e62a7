package seq

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFuzzFile(t *testing.T) {
	for _, test := range []struct{ name, text, comment, want string }{
		{"plain", `v0 := queue.New(2); v0.Put("x")`, "foray 1", "go test fuzz v1\nstring(`v0 := queue.New(2); v0.Put(\"x\")`) // foray 1\n"},
		{"no comment", "f()", "", "go test fuzz v1\nstring(`f()`)\n"},
		{"backquote", "f(\"`\")", "", "go test fuzz v1\nstring(\"f(\\\"`\\\")\")\n"},
		{"empty", "", "", "go test fuzz v1\nstring(``)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := AppendFuzzFile(nil, test.text, test.comment)
			if string(file) != test.want {
				t.Errorf("got\n%swant\n%s", file, test.want)
			}
			text, comment, err := ReadFuzzFile(file)
			if err != nil || text != test.text || comment != test.comment {
				t.Errorf("reads as %q, %q, %v", text, comment, err)
			}
		})
	}
}

func TestReadFuzzFileErrors(t *testing.T) {
	for file, want := range map[string]string{
		"":                                            `seq: 1:1: "", want "go test fuzz v1"`,
		"go test fuzz v2\n":                           `seq: 1:1: "go test fuzz v2", want "go test fuzz v1"`,
		"go test fuzz v1\n":                           "seq: 2:1: no value",
		"go test fuzz v1\nint(3)\n":                   "seq: 2:1: no value",
		"go test fuzz v1\nstring(":                    "seq: 2:1: no value",
		"go test fuzz v1\nstring(`":                   "seq: 2:1: no value",
		"go test fuzz v1\nstring('a')":                "seq: 2:1: no value",
		"go test fuzz v1\nstring(`a`":                 "seq: 2:1: no value",
		"go test fuzz v1\nstring(`a`) + string(`b`)":  "seq: 2:1: no value",
		"go test fuzz v1\n[]byte(`a`)\n":              "seq: 2:1: no value",
		"go test fuzz v1\nstring(`a`)\nstring(`b`)\n": "seq: 3:1: more than one value",
	} {
		if text, _, err := ReadFuzzFile([]byte(file)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %q, error %v, want %s", file, text, err, want)
		}
	}
}

// Stock go test reads the files, comment and all.
func TestStockGoReadsFuzzFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	f := newFixture()
	d := newDraw(t, f)
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/stock\n\ngo 1.21\n",
		"stock_test.go": `package stock

import (
	"strings"
	"testing"
)

func FuzzX(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, ":= ") {
			t.Errorf("got %q", s)
		}
		t.Log("one read")
	})
}
`,
	}
	for _, name := range []string{"a", "b", "c"} {
		text := "v0 := queue.Max; " + f.OneLine(d.sequence(10))
		if name == "c" {
			text = "v0 := queue.Join(\"`\")"
		}
		files["testdata/fuzz/FuzzX/"+name] = string(AppendFuzzFile(nil, text, "foray 1 (a comment), and more"))
	}
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "one read") != 3 {
		t.Errorf("go test: %v\n%s", err, out)
	}
}

func FuzzReadFuzzFile(f *testing.F) {
	f.Add([]byte("go test fuzz v1\nstring(`v0 := f()`) // foray 1\n"))
	f.Add([]byte("go test fuzz v1\nstring(\"`\")\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, comment, err := ReadFuzzFile(file)
		if err != nil {
			return
		}
		again, commentAgain, err := ReadFuzzFile(AppendFuzzFile(nil, text, comment))
		if err != nil || again != text || commentAgain != comment {
			t.Fatalf("%q, %q: reads as %q, %q, %v", text, comment, again, commentAgain, err)
		}
	})
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{`v0 := q.New(2); v0.Put("a; b")`, "v0 := q.New(2)\nv0.Put(\"a; b\")\n", true},
		{"v0 := q.New()\n\n// remark\nv0.N = 3", "v0 := q.New()\nv0.N = 3\n", true},
		{"v0 := func(a int) bool { return a < 0; }", "v0 := func(a int) bool { return a < 0; }\n", true},
		{"hello", "", false},
		{"hello; world()", "", false},
		{"1 + 2", "", false},
		{"if x { y() }", "", false},
		{"}; func _() { x()", "", false},
		{"", "", false},
		{"GET / HTTP/1.1", "", false},
	} {
		if got, ok := Lines(test.text); got != test.want || ok != test.ok {
			t.Errorf("Lines(%q) = %q, %v; want %q, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}
