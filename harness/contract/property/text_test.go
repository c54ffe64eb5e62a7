package property

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// fake returns an operation as a method of its first argument.
func fake(name string, results int) Argument {
	return Argument{Results: results, Call: func(args []string) string {
		return args[0] + "." + name + "(" + strings.Join(args[1:], ", ") + ")"
	}}
}

func value(text string) Argument { return Argument{Text: text} }

func TestText(t *testing.T) {
	// The package has the names of all others, and of the variables of properties.
	renamed := func(path string) string { return "std" + path[strings.LastIndexByte(path, '/')+1:] }
	for _, test := range []struct {
		p    any
		args []Argument
		want string
	}{
		{EqualSymmetric, []Argument{fake("Eq", 1), value("v0"), value("v1")}, "v0.Eq(v1) == v1.Eq(v0)"},
		{CopyEqual, []Argument{fake("Eq", 1), fake("Clone", 1), value("v0")}, "v0.Eq(v0.Clone())"},
		{BytesKept, []Argument{value("v0"), value("before")}, "stdbytes.Equal(v0, before)"},
		{PushPop, []Argument{fake("Pop", 1), value("v0"), value("7")}, "func() bool {\ngot2 := v0.Pop()\nreturn stdreflect.DeepEqual(got2, 7)\n}()"},
		{PushPop, []Argument{fake("Pop", 3), value("v0"), value("7")}, "func() bool {\ngot2, _, _ := v0.Pop()\nreturn stdreflect.DeepEqual(got2, 7)\n}()"},
		{ErrorAs, []Argument{value("v2")}, "func() bool {\nvar target2 interface{ Foray() }\nreturn !stderrors.As(v2, &target2)\n}()"},
	} {
		if got := Text(renamed, test.p, test.args...); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

// The path of a package may be its name.
func TestTextOfShortPath(t *testing.T) {
	importName := func(path string) string {
		name := path[strings.LastIndexByte(path, '/')+1:]
		if name == "got" && path != name {
			return "std" + name
		}
		return name
	}
	got := Text(importName, PushPop, fake("Pop", 1), value("v0"), value("got.Zero"))
	if want := "func() bool {\ngot2 := v0.Pop()\nreturn reflect.DeepEqual(got2, got.Zero)\n}()"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A declaration of a property would hide a parameter in the worker, and be replaced
// in a test. Only packages of the standard library are available in both.
func TestPropertiesCanBeRepeated(t *testing.T) {
	for name, d := range declarations() {
		if !ast.IsExported(name) || name == "Text" {
			continue
		}
		for _, field := range d.fn.Type.Params.List {
			for _, id := range field.Names {
				if d.variables()[id.Name] {
					t.Errorf("%s declares %s, the name of a parameter", name, id.Name)
				}
			}
		}
		ast.Inspect(d.fn.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && ast.IsExported(id.Name) {
					t.Errorf("%s calls %s, which a test does not have", name, id.Name)
				}
			}
			return true
		})
		for used := range d.paths {
			if strings.Contains(d.paths[used], ".") {
				t.Errorf("%s: imports %s", name, strconv.Quote(d.paths[used]))
			}
		}
	}
}
