package gofuzz

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// crash is one as go-fuzz tells of it, with a release of Go that says all.
var crash = Crash{
	First:     "panic: runtime error: index out of range [0] with length 0",
	Functions: []string{"m.test/word.Initial", "m.test/word.Fuzz", "go-fuzz-dep.Main", "main.main"},
	Places:    []string{"/src/word.go:12"},
}

func TestOutput(t *testing.T) {
	const want = `panic: runtime error: index out of range [0] with length 0

goroutine 1 [running]:
m.test/word.Initial(...)
	/src/word.go:12
m.test/word.Fuzz(...)
go-fuzz-dep.Main(...)
main.main(...)
exit status 2`
	if got := string(crash.Output()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	alone := Crash{First: "SIGABRT: abort"}
	if got := string(alone.Output()); got != "SIGABRT: abort\n" {
		t.Errorf("without a stack: %q", got)
	}
}

func TestSilences(t *testing.T) {
	suppression := string(crash.Suppression())
	other := crash
	other.Functions = []string{"m.test/word.Initial", "m.test/word.Fuzz", "m.test/word.fuzz"}
	for _, tt := range []struct {
		name, text string
		crash      Crash
		want       bool
	}{
		{"itself", suppression, crash, true},
		{"frames of the runtime", strings.Replace(suppression, "\nm.", "\npanic\nruntime.goPanicIndex\nm.", 1), crash, true},
		{"an older release", strings.Replace(suppression, " [0] with length 0", "", 1), crash, true},
		{"another index", strings.Replace(suppression, "[0]", "[1]", 1), crash, false},
		{"another message", strings.Replace(suppression, "index", "slice", 1), crash, false},
		{"another stack", suppression, other, false},
		{"a hang", "SIGABRT: abort\n", Crash{First: "SIGABRT: abort"}, true},
		{"a hang, of a panic", "SIGABRT: abort\n", crash, false},
		{"nothing", "", crash, false},
		{"an empty line", "\n", Crash{}, false},
	} {
		if s := ParseSuppression([]byte(tt.text)); s.Silences(&tt.crash) != tt.want {
			t.Errorf("%s: silences = %t, want %t", tt.name, !tt.want, tt.want)
		}
	}
}

func TestDescribes(t *testing.T) {
	name := Name([]byte("a"))
	for file, want := range map[string]bool{
		name: false, name + "-12": false, name + ".": false, name + ".quoted": true, name + ".output": true,
		"a.output": false, strings.ToUpper(name) + ".output": false, "": false,
	} {
		if Describes(file) != want {
			t.Errorf("Describes(%q) = %t, want %t", file, !want, want)
		}
	}
}

// A directory with a corpus alone may be anyone's.
func TestIsWorkdir(t *testing.T) {
	dir := t.TempDir()
	if IsWorkdir(dir) || IsWorkdir(filepath.Join(dir, "none")) {
		t.Error("an empty directory is a workdir")
	}
	if _, err := Put(filepath.Join(dir, Corpus), []byte("a")); err != nil {
		t.Fatal(err)
	}
	if IsWorkdir(dir) {
		t.Error("a directory with a corpus alone is a workdir")
	}
	if err := Make(dir); err != nil {
		t.Fatal(err)
	}
	if !IsWorkdir(dir) {
		t.Error("what Make makes is no workdir")
	}
}

func TestPutCrasher(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []bool{true, false} {
		if isNew, err := PutCrasher(dir, []byte("k\n"), &crash); isNew != want || err != nil {
			t.Fatalf("isNew = %t, %v, want %t", isNew, err, want)
		}
	}
	name := Name([]byte("k\n"))
	want := map[string]string{
		"crashers/" + name: "k\n", "crashers/" + name + ".quoted": "\t\"k\\n\"\n", "crashers/" + name + ".output": string(crash.Output()),
		"suppressions/" + Name(crash.Suppression()): string(crash.Suppression()),
	}
	got := map[string]string{}
	for _, pattern := range []string{"crashers/*", "suppressions/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got[strings.TrimPrefix(file, dir+"/")] = string(data)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// The quoted form of an input is a Go expression with the same value.
func FuzzQuoted(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a line\nand \x00\xff more of it than stands on one"))
	f.Fuzz(func(t *testing.T, data []byte) {
		expr, err := parser.ParseExprFrom(token.NewFileSet(), "", Quoted(data), 0)
		if err != nil {
			t.Fatal(err)
		}
		var text []byte
		ast.Inspect(expr, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				s, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Error(err)
				}
				text = append(text, s...)
			}
			return true
		})
		if !bytes.Equal(text, data) {
			t.Errorf("%q is written as %s", data, Quoted(data))
		}
	})
}

// The text written for any suppression reads as the same suppression.
func FuzzParseSuppression(f *testing.F) {
	f.Add(crash.Suppression())
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := ParseSuppression(text)
		if again := ParseSuppression(c.Suppression()); !reflect.DeepEqual(again, c) {
			t.Errorf("%q is read as %+v, and again as %+v", text, c, again)
		}
		if c.First != "" && !c.Silences(&c) {
			t.Errorf("%+v does not silence itself", c)
		}
	})
}

// A file that a full disk has cut is written anew: its name tells what it should hold.
func TestPutTorn(t *testing.T) {
	dir, data := t.TempDir(), []byte("an input")
	file := filepath.Join(dir, Name(data))
	for _, there := range []string{"", "an in"} {
		if err := os.WriteFile(file, []byte(there), 0o666); err != nil {
			t.Fatal(err)
		}
		isNew, err := Put(dir, data)
		if got, _ := os.ReadFile(file); err != nil || !isNew || string(got) != string(data) {
			t.Errorf("over %q: new %v, error %v, content %q", there, isNew, err, got)
		}
	}
	if isNew, err := Put(dir, data); isNew || err != nil {
		t.Errorf("what is there: new %v, error %v", isNew, err)
	}
}
