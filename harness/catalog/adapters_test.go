package catalog

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// writeAdapters writes a file of package x_test that calls every operation, as
// harness/build does in its barest form. Hidden types have the aliases that
// writeAliases declares in the package.
func writeAdapters(tab *seq.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package x_test\n\n")
	for _, im := range tab.Imports {
		if len(tab.Ops) == 0 {
			break
		}
		fmt.Fprintf(&b, "import %s %q\n", im.Name, im.Path)
	}
	for _, d := range tab.Decls {
		fmt.Fprintf(&b, "\n%s\n", d.Text)
	}
	for i := range tab.Ops {
		op := &tab.Ops[i]
		fmt.Fprintf(&b, "\n// %d %s\nfunc op%d(in, out []any) {\n\t%s\n}\n", i, op.Name, i, adapterBody(tab, op))
	}
	return b.String()
}

func typeText(tab *seq.Table, id seq.TypeID) string {
	if ty := &tab.Types[id]; !ty.Hidden {
		return ty.Name
	}
	return tab.Name + ".Foray" + strconv.Itoa(int(id))
}

// writeAliases exports the hidden types, in a file of the package itself.
func writeAliases(tab *seq.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", tab.Name)
	for i := range tab.Types {
		if ty := &tab.Types[i]; ty.Hidden {
			own := regexp.MustCompile(`\b`+tab.Name+`\.`).ReplaceAllString(ty.Name, "")
			fmt.Fprintf(&b, "type Foray%d = %s\n", i, own)
		}
	}
	return b.String()
}

var placeholder = regexp.MustCompile(`\$(\*|r?\d+)`)

func adapterBody(tab *seq.Table, op *seq.Operation) string {
	text := op.Template
	if op.Adapter != "" {
		text = op.Adapter
	}
	arg := func(i int) string {
		return fmt.Sprintf("in[%d].(%s)", i, typeText(tab, op.Param(i)))
	}
	text = placeholder.ReplaceAllStringFunc(text, func(m string) string {
		switch {
		case m == "$*":
			return arg(len(op.Params)-1) + ", " + arg(len(op.Params))
		case m[1] == 'r':
			return "out[" + m[2:] + "]"
		}
		i, _ := strconv.Atoi(m[1:])
		return arg(i)
	})
	if op.Adapter != "" || len(op.Results) == 0 {
		return text
	}
	outs, checks := make([]string, len(op.Results)), ""
	for i, r := range op.Results {
		outs[i] = fmt.Sprintf("r%d", i)
		checks += fmt.Sprintf("; var _ *%s = &r%d; out[%d] = r%d", typeText(tab, r), i, i, i)
	}
	return strings.Join(outs, ", ") + " := " + text + checks
}

// checkAdapters type-checks the adapters of a catalog against the package.
func checkAdapters(t *testing.T, s subject, c *Catalog) {
	t.Helper()
	tab := &c.Table
	pkg := s.Types
	if aliases := writeAliases(tab); strings.Contains(aliases, "type") {
		file, err := parser.ParseFile(s.Fset, "aliases.go", aliases, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, aliases)
		}
		file.Name.Name = s.Types.Name()
		conf := types.Config{Importer: s.imp, FakeImportC: true, Error: func(err error) { t.Log(err) }}
		if pkg, err = conf.Check(s.Types.Path(), s.Fset, append([]*ast.File{file}, s.Files...), nil); err != nil {
			t.Fatalf("aliases: %v\n%s", err, aliases)
		}
	}
	text := writeAdapters(tab)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "adapters_test.go", text, 0)
	if err != nil {
		t.Fatalf("adapters: %v", err)
	}
	lines := strings.Split(text, "\n")
	count := 0
	conf := types.Config{Importer: over{pkg, s.imp}, Error: func(err error) {
		e := err.(types.Error)
		if count++; count <= 20 {
			n := fset.Position(e.Pos).Line
			t.Errorf("%v\n%s\n%s", err, lines[max(n-3, 0)], lines[n-1])
		}
	}}
	conf.Check("x_test", fset, []*ast.File{file}, nil)
	if count > 0 {
		t.Errorf("%s: %d errors in %d adapters", tab.Package, count, len(tab.Ops))
	}
}

// standardSubjects are packages of the standard library: all of their operations
// must compile.
var standardSubjects = []string{
	"container/list", "container/heap", "strings", "bytes", "math/big", "net/netip", "slices", "maps", "time", "text/template/parse",
}

func TestAdaptersCompile(t *testing.T) {
	for _, path := range standardSubjects {
		t.Run(strings.ReplaceAll(path, "/", "."), func(t *testing.T) {
			s := checkListed(t, ".", path)
			c := find(t, s.Input)
			checkAdapters(t, s, c)
			logShare(t, c)
		})
	}
}

func logShare(t *testing.T, c *Catalog) {
	t.Helper()
	calls := 0
	for i := range c.Table.Ops {
		if c.Table.Ops[i].API {
			calls++
		}
	}
	t.Logf("%s: %d operations, %d calls, %d types; %d of %d members", c.Table.Package,
		len(c.Table.Ops), calls, len(c.Table.Types)-1, len(c.Members)-len(c.Excluded), len(c.Members))
	for _, x := range c.Excluded {
		t.Logf("\texcluded %s: %s", x.Member, x.Reason)
	}
	for _, u := range c.Unreachable {
		t.Logf("\tunreachable %s: %s (%s)", u.Type, u.Reason, strings.Join(u.Wanted, ", "))
	}
}
