package fuzztarget

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/load"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

func TestMatch(t *testing.T) {
	functions := []string{"Fuzz", "FuzzParse", "FuzzPrint", "Sum"}
	for expr, want := range map[string]string{
		"Fuzz": "Fuzz", "^Fuzz$": "Fuzz", "FuzzP": "FuzzParse FuzzPrint", "Parse": "FuzzParse", ".": "Fuzz FuzzParse FuzzPrint",
		"Sum": "Sum", "^Su": "", "Other": "",
	} {
		if got := strings.Join(Match(functions, regexp.MustCompile(expr), expr), " "); got != want {
			t.Errorf("%s matches %q, want %q", expr, got, want)
		}
	}
}

// The tag is added to those that are set, by a flag or by the go command's environment.
func TestWithTag(t *testing.T) {
	for _, tt := range []struct {
		goflags string
		build   []string
		want    []string
	}{
		{"", nil, []string{"-tags=gofuzz"}},
		{"", []string{"-race", "-tags=a,b"}, []string{"-race", "-tags=a,b,gofuzz"}},
		{"-mod=mod -tags=c", nil, []string{"-tags=c,gofuzz"}},
		{"-tags=c", []string{"-tags=a"}, []string{"-tags=a,gofuzz"}},
	} {
		t.Setenv("GOFLAGS", tt.goflags)
		tagged, err := WithTag(t.Context(), tt.build, GoFuzzTag)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tagged, tt.want) {
			t.Errorf("GOFLAGS=%s, %q: %q, want %q", tt.goflags, tt.build, tagged, tt.want)
		}
	}
}

// Each word stands in the dictionary as it is and with its length.
func TestEncodeWords(t *testing.T) {
	table := &seq.Table{Types: []seq.Type{
		{}, {Name: "[]byte", Literal: seq.String, Mined: []string{`"word"`}}, {Name: "int", Literal: seq.Int, Mined: []string{"7"}},
	}}
	EncodeWords(table)
	want := []string{`"` + strings.Repeat(`\x00`, zeroRun) + `"`, `"word"`, `"\x00\x00\x00\x04word"`}
	if got := table.Types[1].Mined; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	if got := table.Types[2].Mined; !slices.Equal(got, []string{"7"}) {
		t.Errorf("numbers %q", got)
	}
}

// Each way to have no target has an error of its own.
func TestNone(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("package p\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	a := file("a.go", "func FuzzOdd(s string) {}\nfunc (T) FuzzMethod(s string) {}\n")
	tests := file("a_test.go", "func FuzzA(f *testing.F) {}\nfunc FuzzB(t *testing.T) {}\n")
	file("b.go", "//go:build other\nfunc FuzzLeft(data []byte) int { return 0 }\n")
	gofuzz := file("fuzz.go", "func Fuzz(data []byte) int { return 0 }\n")
	for _, tt := range []struct {
		expr, want string
		tests      []string
		tagged     []string
	}{
		{"^FuzzLeft$", "m.test/p.FuzzLeft: its file, b.go, is not built", []string{tests}, nil},
		{"FuzzOdd", "m.test/p.FuzzOdd: func(s string), want an exported func(data []byte) int, as go-fuzz has them", []string{tests}, nil},
		{"FuzzB", "m.test/p.FuzzB: func(t *testing.T), want func FuzzXxx(f *testing.F) in a test file", []string{tests}, nil},
		{"FuzzMethod", `m.test/p: no fuzz target matches "FuzzMethod"; it has FuzzA`, []string{tests}, nil},
		{"Other", `m.test/p: no fuzz target matches "Other"; it has FuzzA, Fuzz`, []string{tests}, []string{gofuzz}},
		{"Other", "m.test/p: no fuzz target: no test file declares a FuzzXxx(f *testing.F), no other a func Fuzz(data []byte) int; without -fuzz foray calls the package's own API", nil, nil},
	} {
		pkg := &build.Target{Path: "m.test/p", Dir: dir, Files: build.Files{GoFiles: []string{a}, TestGoFiles: tt.tests}}
		err := None(pkg, []*build.Target{{Files: build.Files{GoFiles: tt.tagged}}}, tt.expr)
		e, ok := err.(*load.Error)
		if !ok {
			t.Fatalf("%s: %v", tt.expr, err)
		}
		if got := e.Error() + "; " + e.Hint; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.expr, got, tt.want)
		}
	}
}
