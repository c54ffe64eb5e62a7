package emit_test

import (
	"go/ast"
	"go/parser"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
	"foray.test/harness/catalog"
	"foray.test/harness/emit"
)

// TestNewFuzzTest compares the fuzz tests of the packages in testdata, one file
// each, with the golden files beside them.
func TestNewFuzzTest(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			test, err := emit.NewFuzzTest(&find(t, "example.com/"+name, file).Table, name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := string(test.Source)
			if len(test.LeftOut) > 0 {
				got += "\n// not listed: " + strings.Join(test.LeftOut, ", ") + "\n"
			}
			if len(test.Unmade) > 0 {
				got += "\n// not made: " + strings.Join(test.Unmade, ", ") + "\n"
			}
			golden := filepath.Join("testdata", name+".golden")
			if *emit.Update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// find returns the catalog of a package of one file.
func find(t *testing.T, path, file string) *catalog.Catalog {
	t.Helper()
	fset, imp := emit.SourceFset, emit.Source
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	pkg, err := (&types.Config{Importer: imp}).Check(path, fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Find(catalog.Input{Types: pkg, Fset: fset, Files: []*ast.File{f}, Info: info, Importer: imp})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A package may be named as a value is, v1, or import one that is named as foray's.
func TestFuzzTestPackage(t *testing.T) {
	table := find(t, "example.com/queue", "testdata/queue.go").Table
	table.Name = "v1pkg"
	table.Imports = append(table.Imports, seq.Import{Name: "harness", Path: "example.com/harness"})
	test, err := emit.NewFuzzTest(&table, "v1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"package v1_test\n", "stdharness \"foray.test/harness\"\n", "stdharness.Fuzz(f, stdharness.API{", "stdharness.Op{Func: "} {
		if !strings.Contains(string(test.Source), want) {
			t.Errorf("no %q in\n%s", want, test.Source)
		}
	}
}

// A package may have fuzz tests already.
func TestFuzzTestName(t *testing.T) {
	table := &find(t, "example.com/queue", "testdata/queue.go").Table
	var taken []string
	for _, want := range []string{"FuzzQueue", "FuzzQueueCalls", "FuzzQueueSequences", "FuzzQueueSequences2"} {
		test, err := emit.NewFuzzTest(table, "queue", taken, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.Name != want || !strings.Contains(string(test.Source), "func "+want+"(f *testing.F)") {
			t.Errorf("beside %v it is %s, want %s", taken, test.Name, want)
		}
		taken = append(taken, test.Name)
	}
	slices.Sort(taken)
	if len(slices.Compact(taken)) != 4 {
		t.Errorf("names are %v", taken)
	}
}
