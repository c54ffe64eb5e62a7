package catalog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestGolden compares the catalogs of the packages in testdata, one file each, with
// the files next to them, and type-checks all operations.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := checkSource(t, "example.com/"+name, string(text))
			c := find(t, s.Input)
			checkTable(t, &c.Table)
			checkAdapters(t, s, c)
			compareGolden(t, filepath.Join("testdata", name+".golden"), listing(c))
		})
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			t.Fatalf("%s:%d: got one more line: %s", file, i+1, b[i])
		case i >= len(b) || a[i] != b[i]:
			t.Fatalf("%s:%d:\nwant %s\n got %s\n(go test -update rewrites)", file, i+1, a[i], strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
}

// listing writes a catalog for a person to read, one operation a line.
func listing(c *Catalog) string {
	var b strings.Builder
	tab := &c.Table
	for i := range tab.Ops {
		op := &tab.Ops[i]
		fmt.Fprintf(&b, "%s (%s)%s%s\n", op.Template, typeNames(tab, op.Params), resultNames(tab, op.Results), notes(op))
		if op.Adapter != "" {
			fmt.Fprintf(&b, "\tadapter %s\n", op.Adapter)
		}
	}
	b.WriteString("\n")
	for _, im := range tab.Imports {
		fmt.Fprintf(&b, "import %s %q\n", im.Name, im.Path)
	}
	for _, d := range tab.Decls {
		fmt.Fprintf(&b, "declaration %s\n", d.Name)
	}
	for i := range tab.Types {
		if ty := &tab.Types[i]; ty.Hidden || len(ty.Mined) > 0 {
			fmt.Fprintf(&b, "type %s hidden=%v mined %s\n", ty.Name, ty.Hidden, strings.Join(ty.Mined[:min(len(ty.Mined), 12)], " "))
		}
	}
	for i := range tab.Types {
		if ty := &tab.Types[i]; len(ty.Constants) > 0 {
			fmt.Fprintf(&b, "type %s constants %v\n", ty.Name, ty.Constants)
		}
	}
	for i := range tab.Types {
		if ty := &tab.Types[i]; ty.Shared != "" {
			fmt.Fprintf(&b, "type %s shared: %s\n", ty.Name, ty.Shared)
		}
	}
	fmt.Fprintf(&b, "members %s\n", strings.Join(c.Members, " "))
	for _, x := range c.Excluded {
		fmt.Fprintf(&b, "excluded %s: %s\n", x.Member, x.Reason)
	}
	for _, u := range c.Unreachable {
		fmt.Fprintf(&b, "unreachable %s: %s: %s\n", u.Type, u.Reason, strings.Join(u.Wanted, ", "))
	}
	return b.String()
}

func typeNames(tab *seq.Table, ids []seq.TypeID) string {
	var names []string
	for _, id := range ids {
		names = append(names, tab.Types[id].Name)
	}
	return strings.Join(names, ", ")
}

func resultNames(tab *seq.Table, ids []seq.TypeID) string {
	if len(ids) == 0 {
		return ""
	}
	return " → " + typeNames(tab, ids)
}

// notes writes the fields of an operation that are set.
func notes(op *seq.Operation) string {
	s := ""
	add := func(set bool, note string) {
		if set {
			s += "; " + note
		}
	}
	add(op.Shape != seq.NoShape, "shape "+op.Shape.String())
	add(op.API, op.Short)
	add(op.Variadic, "variadic")
	add(op.Spread, "spread")
	add(op.ReturnsError, "returns error")
	add(op.Callback, "callback")
	add(op.Alone, "alone")
	add(op.Forwards != "", "forwards to "+op.Forwards)
	add(op.Zero, "zero")
	add(op.Incomplete, "incomplete")
	add(op.Pre.Blocks, "blocks")
	add(op.Pre.Panics, fmt.Sprintf("panics %q", op.Pre.Sentence))
	add(len(op.Pre.Messages) > 0, fmt.Sprintf("messages %q", op.Pre.Messages))
	add(strings.Contains(fmt.Sprint(op.Pre.NilOK), "true"), fmt.Sprintf("nil %v", op.Pre.NilOK))
	return s
}

var variable = regexp.MustCompile(`^(v\d+[a-z]?|in|out)$`)

// checkTable checks the promises in the comments of seq.Table.
func checkTable(t *testing.T, tab *seq.Table) {
	t.Helper()
	ops, imports := map[string]bool{}, map[string]bool{}
	for _, im := range tab.Imports {
		if imports[im.Name] || variable.MatchString(im.Name) {
			t.Errorf("import %s %q: the name is taken", im.Name, im.Path)
		}
		imports[im.Name] = true
	}
	for i := range tab.Ops {
		op := &tab.Ops[i]
		if ops[op.Name] {
			t.Errorf("operation %q twice", op.Name)
		}
		ops[op.Name] = true
		if op.Name == "" || op.Short == "" || op.Template == "" || op.API && len(op.Pre.NilOK) != len(op.Params) {
			t.Errorf("operation %d is incomplete: %+v", i, op)
		}
		for _, id := range append(append([]seq.TypeID{}, op.Params...), op.Results...) {
			if id == 0 || int(id) >= len(tab.Types) {
				t.Errorf("%s: type %d of %d", op.Name, id, len(tab.Types))
			}
		}
	}
	for i := range tab.Types[1:] {
		if ty := &tab.Types[i+1]; ty.Name == "" || len(ty.Assignable) == 0 || ty.Assignable[0] != seq.TypeID(i+1) {
			t.Errorf("type %d is incomplete: %+v", i+1, ty)
		}
	}
}
