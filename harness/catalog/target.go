package catalog

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"foray.test/corpus/fuzzfile"
	"foray.test/engine/seq"
)

// Targets lists the fuzz targets that test files declare, by the rule of go test:
// functions FuzzXxx with one parameter of type *testing.F.
func Targets(files []*ast.File) []string {
	return functionNames(files, func(fd *ast.FuncDecl) bool { return isTargetName(fd.Name.Name) && takesF(fd.Type) })
}

// functionNames lists the functions that files declare and that are as asked.
func functionNames(files []*ast.File, is func(*ast.FuncDecl) bool) (names []string) {
	for _, file := range files {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Type.TypeParams == nil && is(fd) {
				names = append(names, fd.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func isTargetName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Fuzz")
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(r))
}

// takesF reports whether the only parameter of a function is a pointer to a type
// named F, by any name of package testing.
func takesF(t *ast.FuncType) bool {
	name, isPointer := strings.CutPrefix(onlyType(t.Params), "*")
	return isPointer && t.Results.NumFields() == 0 && (name == "F" || strings.HasSuffix(name, ".F"))
}

// onlyType returns the type of the only parameter or result in a list as text, "" if there are
// none or several.
func onlyType(list *ast.FieldList) string {
	if list.NumFields() != 1 {
		return ""
	}
	return types.ExprString(list.List[0].Type)
}

// GoFuzz lists the functions that files declare as go-fuzz takes them: exported ones
// func(data []byte) int.
func GoFuzz(files []*ast.File) []string {
	return functionNames(files, func(fd *ast.FuncDecl) bool {
		takes := onlyType(fd.Type.Params)
		return fd.Name.IsExported() && (takes == "[]byte" || takes == "[]uint8") && onlyType(fd.Type.Results) == "int"
	})
}

// Dictionary returns a table without operations. It has the types that arguments of
// fuzz functions may have, with the constants mined for them from the package and
// all of its tests.
func Dictionary(in Input) (*seq.Table, error) {
	f, err := newFinder(in)
	if err != nil {
		return nil, err
	}
	mined := f.mine()
	t := &seq.Table{Package: in.Types.Path(), Name: in.Types.Name(), Types: make([]seq.Type, 1)}
	for i, name := range fuzzfile.Types() {
		isBytes := name == "[]byte"
		if isBytes {
			name = "string" // bytes are compared with strings
		}
		basic := types.Universe.Lookup(name).Type()
		ty := f.tableType(basic)
		ty.Mined = mined.of(basic, ty)
		if isBytes {
			ty.Name, ty.Basic = "[]byte", false
			f.describe(&ty, types.NewSlice(types.Typ[types.Byte]))
		}
		ty.Assignable = []seq.TypeID{seq.TypeID(i + 1)}
		t.Types = append(t.Types, ty)
	}
	return t, nil
}

// Mine appends the constants mined for the dictionary's types to those of the same
// kind in t.
func Mine(t, dictionary *seq.Table) {
	for i := range t.Types {
		ty := &t.Types[i]
		for j := range dictionary.Types {
			from := &dictionary.Types[j]
			if ty.Literal == seq.NoLiteral || from.Literal != ty.Literal || from.Bits != ty.Bits || !from.Basic {
				continue
			}
			for _, text := range from.Mined {
				if !slices.Contains(ty.Mined, text) {
					ty.Mined = append(ty.Mined, text)
				}
			}
			break
		}
	}
}

// TargetTable returns the table of one fuzz target. Its single operation has
// parameters of the types that args names, as fuzzfile does. Type 1 is that of the
// first parameter, type 2 the next that differs, and so on. dictionary is the result
// of [Dictionary].
//
//	FuzzParse($0, $1)      ([]byte, int)
func TargetTable(dictionary *seq.Table, name string, args []string) (*seq.Table, error) {
	t := &seq.Table{Package: dictionary.Package, Name: dictionary.Name, Types: make([]seq.Type, 1)}
	op := seq.Operation{
		Name: fmt.Sprintf("%s.%s(%s)", dictionary.Package, name, strings.Join(args, ", ")), Short: name, Member: name, Base: name,
		Kind: seq.Func, API: true,
	}
	var holes []string
	for i, arg := range args {
		id := slices.IndexFunc(t.Types, func(ty seq.Type) bool { return ty.Name == arg })
		if id < 1 {
			from := slices.IndexFunc(dictionary.Types, func(ty seq.Type) bool { return ty.Name == arg })
			if from < 1 {
				return nil, fmt.Errorf("catalog: %s: argument %d has type %s, which go test does not fuzz", name, i+1, arg)
			}
			id = len(t.Types)
			ty := dictionary.Types[from]
			ty.Assignable = []seq.TypeID{seq.TypeID(id)}
			t.Types = append(t.Types, ty)
		}
		op.Params = append(op.Params, seq.TypeID(id))
		holes = append(holes, fmt.Sprintf("$%d", i))
	}
	op.Template = name + "(" + strings.Join(holes, ", ") + ")"
	t.Ops = []seq.Operation{op}
	return t, nil
}
