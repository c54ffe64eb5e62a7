package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"

	"foray.test/cmd/internal/farm"
	"foray.test/coverage/instrument"
)

// Locate finds the declarations of the operations that fail, in the module at root.
func Locate(v *farm.View, root string) map[string]Place {
	places := map[string]Place{}
	known := map[string]map[string]Place{} // by directory
	for i := range v.Findings {
		f := &v.Findings[i]
		for j := range v.Targets {
			t := &v.Targets[j]
			if t.ID() != f.Target || t.Dir == "" {
				continue
			}
			if known[t.Dir] == nil {
				known[t.Dir] = declarations(root, t.Dir)
			}
			if at, ok := known[t.Dir][f.Operation]; ok {
				places[f.Key] = at
			}
		}
	}
	return places
}

// declarations returns where the functions of a package are declared, by the name that
// findings have of them: F, T.M or (*T).M.
func declarations(root, dir string) map[string]Place {
	places := map[string]Place{}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fset := token.NewFileSet()
		parsed, _ := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
		if parsed == nil {
			continue
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				places[instrument.FuncName(fn)] = Place{path.Join(dir, filepath.Base(file)), fset.Position(fn.Name.Pos()).Line}
			}
		}
	}
	return places
}
