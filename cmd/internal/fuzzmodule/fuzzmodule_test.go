package fuzzmodule

import (
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestEdit(t *testing.T) {
	for _, tt := range []struct {
		f          Foray
		line, want string
	}{
		{Foray{Path: "f.test", Version: "v1.2.3", Go: "1.25"}, "1.25.1", "go mod edit -require=f.test@v1.2.3"},
		{Foray{Path: "f.test", Version: "v1.2.3", Go: "1.25"}, "1.24", "go mod edit -go=1.25 -require=f.test@v1.2.3"},
		{Foray{Path: "f.test", Version: "v1.2.3", Go: "1.25"}, "", "go mod edit -go=1.25 -require=f.test@v1.2.3"},
		{Foray{Path: "f.test", Dir: "/src/f", Go: "1.25"}, "1.26", "go mod edit -require=f.test@v0.0.0 -replace=f.test=/src/f"},
		{Foray{Path: "f.test", Go: "1.25"}, "1.26", "go mod edit -require=f.test@v0.0.0 -replace=f.test=DIR"},
	} {
		if got := tt.f.Edit(tt.line); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
	}
}

func TestGoMod(t *testing.T) {
	f := Foray{Path: "f.test", Dir: "/src/f", Go: "1.25"}
	const mod = `module m.test/shop

go 1.24

require (
	a.test/a v1.0.0
	b.test/b v1.1.0 // indirect
)

replace a.test/a => ./a

replace b.test/b => b.test/c v1.2.0

exclude b.test/b v1.0.9
`
	const want = `module m.test/shop/internal/fuzz

go 1.25

require (
	f.test v0.0.0
	m.test/shop v0.0.0
)

require (
	a.test/a v1.0.0 // indirect
	b.test/b v1.1.0 // indirect
)

replace m.test/shop => ../..

replace f.test => /src/f

replace a.test/a => ../../a

replace b.test/b => b.test/c v1.2.0

exclude b.test/b v1.0.9
`
	got, err := f.GoMod("go.mod", []byte(mod), "1.24")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if _, err := f.GoMod("go.mod", []byte("go 1.24\n"), "1.24"); err == nil || err.Error() != "go.mod: no module line" {
		t.Errorf("without a module line: %v", err)
	}
}

// The version of a module on disk agrees with the major version in its path.
func TestGoModMajor(t *testing.T) {
	f := Foray{Path: "f.test", Dir: "/src/f", Go: "1.25"}
	for path, want := range map[string]string{"m.test/shop": "v0.0.0", "m.test/shop/v2": "v2.0.0", "gopkg.in/shop.v3": "v3.0.0"} {
		got, err := f.GoMod("go.mod", []byte("module "+path+"\n"), "1.24")
		if err != nil || !strings.Contains(string(got), "\t"+path+" "+want+"\n") {
			t.Errorf("%s: %v\n%s\nwant version %s", path, err, got, want)
		}
		if _, err := modfile.Parse("go.mod", got, nil); err != nil {
			t.Error(err)
		}
	}
}
