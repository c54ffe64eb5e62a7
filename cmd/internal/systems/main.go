// Systems checks that the tree compiles for other systems. It type-checks from source:
// go vet would first compile every dependency for every system, which takes minutes.
//
//	go run ./cmd/internal/systems windows darwin freebsd
//
// It prints one line per error and exits with 1 if there is one.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	bad := false
	for _, system := range os.Args[1:] {
		errs, err := check(".", system, "./...", "./cmd/...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "systems: %s: %v\n", system, err)
			os.Exit(2)
		}
		for _, e := range errs {
			fmt.Printf("%s: %s\n", system, e)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}

// check returns the errors of packages and their tests under dir when they are compiled
// for a system. Function bodies are checked in files under dir alone.
func check(dir, system string, patterns ...string) (errs []string, err error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
		Dir:   root,
		Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				dropBodies(f)
			}
			return f, err
		},
	}
	found, err := packages.Load(c, patterns...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, p := range found {
		if p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test") {
			continue // the main package of a test, which go generates elsewhere
		}
		for _, e := range p.Errors {
			if s := e.Error(); !seen[s] {
				seen[s] = true
				errs = append(errs, s)
			}
		}
	}
	return errs, nil
}

// dropBodies leaves the declarations of a file. The bodies of function literals in
// variables stay.
func dropBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
