package gentest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// An importNamer gives the imports of a file names that nothing else in its package goes by.
type importNamer struct {
	declared map[string]bool   // names that other files of the package declare
	names    map[string]string // by path
	paths    map[string]string // by name
}

func newImportNamer(declared []string) *importNamer {
	n := &importNamer{declared: map[string]bool{}, names: map[string]string{}, paths: map[string]string{}}
	for _, name := range declared {
		n.declared[name] = true
	}
	return n
}

// name returns the name of the package at a path: the one it has in some file, if that is free.
func (n *importNamer) name(path, has string) string {
	if name, known := n.names[path]; known {
		return name
	}
	name := has
	for i := 1; n.declared[name] || n.paths[name] != ""; i++ {
		if name = has + "pkg"; i > 1 {
			name += strconv.Itoa(i)
		}
	}
	n.names[path], n.paths[name] = name, path
	return name
}

// rename returns a file with its imports under their names.
func (n *importNamer) rename(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	renamed := map[string]string{}
	edits := map[ast.Node]string{}
	for _, spec := range f.Imports {
		p, has, err := imported(spec)
		if err != nil {
			return nil, err
		}
		if to := n.name(p, has); to != has {
			renamed[has], edits[spec] = to, to+" "+spec.Path.Value
		}
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if sel, ok := node.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && renamed[id.Name] != "" && slices.Contains(f.Unresolved, id) {
				edits[id] = renamed[id.Name]
			}
		}
		return true
	})
	return edited(fset, src, edits), nil
}

// imported returns the path of an import and its name, which is the last element of the path
// unless the import says otherwise.
func imported(spec *ast.ImportSpec) (importPath, name string, err error) {
	if importPath, err = strconv.Unquote(spec.Path.Value); err != nil {
		return "", "", fmt.Errorf("import %s: %w", spec.Path.Value, err)
	}
	if spec.Name != nil {
		return importPath, spec.Name.Name, nil
	}
	return importPath, path.Base(importPath), nil
}

// edited returns src with other texts for some nodes.
func edited(fset *token.FileSet, src []byte, edits map[ast.Node]string) []byte {
	nodes := make([]ast.Node, 0, len(edits))
	for node := range edits {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	var out bytes.Buffer
	from := 0
	for _, node := range nodes {
		out.Write(src[from:fset.Position(node.Pos()).Offset])
		out.WriteString(edits[node])
		from = fset.Position(node.End()).Offset
	}
	out.Write(src[from:])
	return out.Bytes()
}
