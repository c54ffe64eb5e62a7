package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"

	"foray.test/harness/build"
)

// ParseFiles parses the files of a package that contain a text, without their types. The build
// reports syntax errors.
func ParseFiles(t *build.Target, names []string, text string) []*ast.File {
	var files []*ast.File
	for _, name := range names {
		src, err := t.ReadFile(name)
		if err != nil || !bytes.Contains(src, []byte(text)) {
			continue
		}
		if file, _ := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution); file != nil {
			files = append(files, file)
		}
	}
	return files
}
