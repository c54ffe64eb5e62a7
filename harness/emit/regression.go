package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// A Regression is a regression test to be written, with the reason why it is there:
// a sentence about it without a subject, such as "takes both sides of n > 0".
type Regression struct {
	regression.Test
	Reason string
}

// RegressionOptions say how regression tests are written. The zero value works.
type RegressionOptions struct {
	Package string   // the name in its package clause; empty means Table.Name
	Taken   []string // names of functions that the package of the tests has already
	// Plain avoids type parameters, for modules whose go line is too old for them.
	Plain bool
}

// Regressions returns a test file, of package x_test, that holds all tests in
// order, and what go test -run calls each: "TestList_PushBackThenLen", or with
// "/2" behind it where tests that differ only in values are rows of one table.
func Regressions(t *seq.Table, tests []Regression, o RegressionOptions) (file []byte, names []string, err error) {
	w := &regressionWriter{writer: newWriter(t), plain: o.Plain, taken: map[string]bool{}}
	for _, name := range o.Taken {
		w.taken[name] = true
	}
	names = make([]string, len(tests))
	var text strings.Builder
	for _, rows := range w.groups(tests) {
		name := w.name(&tests[rows[0]].Test)
		group := make([]*Regression, len(rows))
		for i, row := range rows {
			group[i] = &tests[row]
			if names[row] = name; len(rows) > 1 {
				names[row] = fmt.Sprintf("%s/%d", name, i)
			}
		}
		text.WriteString("\n" + w.function(name, group))
	}
	pkg := o.Package
	if pkg == "" {
		pkg = t.Name
	}
	file, err = w.file(pkg+"_test", text.String())
	if err == nil {
		file, err = w.ownDecls(file)
	}
	return file, names, err
}

// ownDecls gives the declarations of foray's own in a file names that those in the
// file of findings, which stands beside it, do not have.
func (w *regressionWriter) ownDecls(file []byte) ([]byte, error) {
	own := map[string]bool{}
	for _, d := range w.t.Decls {
		own[d.Name] = true
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", file, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	renamed := func(text string) string { return "regression" + strings.TrimPrefix(text, "foray") }
	for _, d := range f.Decls {
		var doc *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc = d.Doc
		case *ast.GenDecl:
			doc = d.Doc
		}
		if doc == nil {
			continue
		}
		first := doc.List[0]
		if name, rest, _ := strings.Cut(strings.TrimPrefix(first.Text, "// "), " "); own[name] {
			first.Text = "// " + renamed(name) + " " + rest
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && own[id.Name] {
			id.Name = renamed(id.Name)
		}
		return true
	})
	var b bytes.Buffer
	err = format.Node(&b, fset, f)
	return b.Bytes(), err
}

// regressionWriter writes regression tests.
type regressionWriter struct {
	*writer
	plain bool
	taken map[string]bool // names of functions
}

// groups returns the numbers of the tests of each function, in order: tests that
// differ in nothing but values share one.
func (w *regressionWriter) groups(tests []Regression) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i := range tests {
		key, ok := w.shape(&tests[i].Test)
		if g, known := at[key]; ok && known {
			groups[g] = append(groups[g], i)
			continue
		}
		at[key] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

// shape is equal for tests that differ only in values. It reports false for one
// whose values cannot stand in a table.
func (w *regressionWriter) shape(t *regression.Test) (key string, ok bool) {
	var b strings.Builder
	ok = true
	slot := 0
	types := t.Steps.SlotTypes(w.t)
	for i := range t.Steps {
		fmt.Fprintf(&b, "%d(", t.Steps[i].Op)
		for j, a := range t.Steps[i].Args {
			switch {
			case a.Lit == nil:
				fmt.Fprintf(&b, "v%d,", a.Slot)
			case a.Lit.Value == nil:
				fmt.Fprintf(&b, "nil%d,", a.Lit.Type)
			default:
				id := w.columnType(&t.Steps[i], j)
				fmt.Fprintf(&b, "%d,", id)
				ok = ok && !w.t.Types[id].Hidden
			}
		}
		b.WriteByte(')')
		for k, r := range t.Asserts[i] {
			fmt.Fprintf(&b, " %d", r.How)
			if r.How == regression.Same {
				fmt.Fprintf(&b, "=%d", r.Slot)
			}
			ok = ok && (r.Text == "" || !w.t.Types[types[slot+k]].Hidden)
		}
		slot += len(w.t.Ops[t.Steps[i].Op].Results)
		if t.Calls[i] != nil {
			b.WriteString(" calls")
		}
		b.WriteByte('\n')
	}
	for _, e := range t.Ends {
		fmt.Fprintf(&b, "%d is %d\n", e.Slot, e.How)
		ok = ok && !w.t.Types[types[e.Slot]].Hidden
	}
	return b.String(), ok
}

// columnType returns the type of a column for argument j of a step, a literal: any
// if the parameter is, so that literals of several types can stand there.
func (w *regressionWriter) columnType(st *seq.Step, j int) seq.TypeID {
	if p := w.t.Ops[st.Op].Param(j); w.t.Types[p].Name == "any" {
		return p
	}
	return st.Args[j].Lit.Type
}

// cell returns a literal as it stands in a column of type typ.
func (w *regressionWriter) cell(l *seq.Literal, typ string) string {
	text := string(w.t.AppendTyped(nil, l))
	ty := &w.t.Types[l.Type]
	switch ty.Name {
	case "int", "string", "bool", "float64", "complex128":
	default:
		if ty.Name != typ || !ty.Basic || strings.Contains(text, w.pkg("math")) {
			return text
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, ty.Name+"("), ")")
}

// function returns one test function: of a single test, or of several that differ
// in values only.
func (w *regressionWriter) function(name string, group []*Regression) string {
	f := &regressionFunc{w: w, test: &group[0].Test, wants: map[[2]int]string{}, calls: map[int]string{}}
	var table strings.Builder
	reason := group[0].Reason
	if reason == "" {
		reason = "keeps results as they were recorded"
	}
	if len(group) > 1 {
		f.columns(group)
		table.WriteString(f.table(group))
	}
	body := f.body()
	if len(group) > 1 {
		body = fmt.Sprintf("%[1]s%[2]s.Run(%[3]sSprint(i), func(%[2]s *%[4]sT) {\n%[5]s})\n}\n", table.String(), w.testVar, w.pkg("fmt"), w.pkg("testing"), body)
	}
	return fmt.Sprintf("%[2]sfunc %[1]s(%[3]s *%[4]sT) {\n%[5]s}\n", name, wrapped(name+" "+reason+"."), w.testVar, w.pkg("testing"), body)
}

// wrapped returns text as a comment in lines of at most 100 columns.
func wrapped(text string) string {
	const width = 100
	var b strings.Builder
	column := width
	for word := range strings.FieldsSeq(text) {
		if column+1+len(word) > width {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("//")
			column = 2
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	return b.String() + "\n"
}

// pkg returns what qualifies names of a package.
func (w *writer) pkg(path string) string { return w.t.ImportName(path) + "." }

// regressionFunc writes the body of one test function.
type regressionFunc struct {
	w      *regressionWriter
	test   *regression.Test
	r      *renderer
	used   map[string]bool // names of variables
	fields []tableField
	wants  map[[2]int]string // by step and result: the field that holds what is wanted
	calls  map[int]string    // by step: … which calls are
	lits   map[[2]int]string // by step and argument: the field that holds a literal
	// Names of results that only their assertions use, of statements before.
	standing []string
}

// tableField is a column of the table.
type tableField struct {
	name, typ string
	of        func(t *regression.Test) string
}

// rowVar is the variable of a row.
const rowVar = "tt"

// columns finds what differs between the tests of a group.
func (f *regressionFunc) columns(group []*Regression) {
	f.lits = map[[2]int]string{}
	t := f.w.t
	types := f.test.Steps.SlotTypes(t)
	slot := 0
	for i := range f.test.Steps {
		op := &t.Ops[f.test.Steps[i].Op]
		for j, a := range f.test.Steps[i].Args {
			if a.Lit == nil || a.Lit.Value == nil {
				continue
			}
			base := "in"
			if j < len(op.Names) && token.IsIdentifier(op.Names[j]) && op.Names[j] != "_" {
				base = op.Names[j]
			}
			at := [2]int{i, j}
			typ := t.Types[f.w.columnType(&f.test.Steps[i], j)].Name
			f.column(group, base, typ, func(name string) { f.lits[at] = name }, func(other *regression.Test) string {
				return f.w.cell(other.Steps[i].Args[j].Lit, typ)
			})
		}
		for k, r := range f.test.Asserts[i] {
			if r.Text == "" {
				continue
			}
			at := [2]int{i, k}
			f.column(group, "want", f.wantType(r.How, types[slot+k]), func(name string) { f.wants[at] = name }, func(other *regression.Test) string {
				return other.Asserts[i][k].Text
			})
		}
		if c := f.test.Calls[i]; c != nil {
			f.column(group, "calls", c.Type, func(name string) { f.calls[i] = name }, func(other *regression.Test) string { return other.Calls[i].Text })
		}
		slot += len(op.Results)
	}
	for n, e := range f.test.Ends {
		f.column(group, "want", f.wantType(e.How, types[e.Slot]), func(name string) { f.wants[[2]int{ends, n}] = name }, func(other *regression.Test) string {
			return other.Ends[n].Text
		})
	}
}

// wantType returns the type of what is compared with a result of static type ty.
func (f *regressionFunc) wantType(how regression.How, ty seq.TypeID) string {
	switch how {
	case regression.Len:
		return "int"
	case regression.Sentinel:
		return "error"
	case regression.Bytes, regression.ErrorText, regression.Printed:
		return "string"
	}
	return f.w.t.Types[ty].Name
}

// ends is the number of the step that wants has for what slots hold at the end.
const ends = -1

// column adds a column if its cells differ, or uses one that has the same cells.
func (f *regressionFunc) column(group []*Regression, base, typ string, found func(name string), of func(*regression.Test) string) {
	first := of(&group[0].Test)
	if !slices.ContainsFunc(group, func(g *Regression) bool { return of(&g.Test) != first }) {
		return
	}
	for _, c := range f.fields {
		if c.typ == typ && !slices.ContainsFunc(group, func(g *Regression) bool { return of(&g.Test) != c.of(&g.Test) }) {
			found(rowVar + "." + c.name)
			return
		}
	}
	name := base
	for n := 2; slices.ContainsFunc(f.fields, func(c tableField) bool { return c.name == name }); n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	f.fields = append(f.fields, tableField{name, typ, of})
	found(rowVar + "." + name)
}

// table returns the table and the beginning of the loop over it.
func (f *regressionFunc) table(group []*Regression) string {
	var b strings.Builder
	fmt.Fprintf(&b, "for i, %s := range []struct {\n", rowVar)
	for _, c := range f.fields {
		fmt.Fprintf(&b, "%s %s\n", c.name, c.typ)
	}
	b.WriteString("}{\n")
	for _, g := range group {
		b.WriteByte('{')
		for i, c := range f.fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(c.of(&g.Test))
		}
		b.WriteString("},\n")
	}
	b.WriteString("} {\n")
	return b.String()
}

// body returns the statements of one run.
func (f *regressionFunc) body() string {
	t := f.test
	f.r = newRenderer(f.w.t, t.Steps, f.kept())
	f.r.fields = f.lits
	f.rename()
	var b strings.Builder
	for i := range t.Steps {
		switch {
		case f.r.inlined[i]:
		case t.Asserts[i] == nil && t.Calls[i] == nil:
			f.r.statement(&b, i)
		default:
			f.asserted(&b, i)
		}
	}
	for n, e := range t.Ends {
		f.end(&b, n, e)
	}
	return b.String()
}

// kept returns the slots that need a name: those that others are compared with,
// and all that are asserted of a step whose results are used.
func (f *regressionFunc) kept() []int32 {
	t := f.test
	var list []int32
	for _, e := range t.Ends {
		list = append(list, e.Slot)
	}
	slot := int32(0)
	for i := range t.Steps {
		n := int32(len(f.w.t.Ops[t.Steps[i].Op].Results))
		for _, r := range t.Asserts[i] {
			if r.How == regression.Same {
				list = append(list, r.Slot)
			}
		}
		slot += n
	}
	// Those that are compared with may make others of their step need one.
	for again := true; again; {
		again = false
		slot = 0
		for i := range t.Steps {
			n := int32(len(f.w.t.Ops[t.Steps[i].Op].Results))
			named := false
			for s := slot; s < slot+n; s++ {
				named = named || slices.Contains(list, s) || len(seq.Uses(t.Steps, s)) > 0
			}
			for k, r := range t.Asserts[i] {
				if s := slot + int32(k); named && r.How != regression.None && !slices.Contains(list, s) {
					list, again = append(list, s), true
				}
			}
			slot += n
		}
	}
	return list
}

// rename gives variables names after their types: l, e, e2.
func (f *regressionFunc) rename() {
	f.used = map[string]bool{f.w.testVar: true, rowVar: true, "i": true, "got": true}
	for _, im := range f.w.t.Imports {
		f.used[im.Name] = true
	}
	for _, p := range standard {
		f.used[f.w.t.ImportName(p)] = true
	}
	for slot, name := range f.r.names {
		if name != "" {
			f.r.names[slot] = f.unused(variable(f.w.t.Types[f.r.typ(int32(slot))].Name))
		}
	}
}

// unused returns base, or base with a number behind it, which is used from then on.
func (f *regressionFunc) unused(base string) string {
	name := base
	for n := 2; f.used[name]; n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	f.used[name] = true
	return name
}

// variable returns a name for a variable of a type: "e" for *list.Element, "tree"
// for *btree.BTreeG[int] where a single letter would be one that function literals
// or tests have.
func variable(typ string) string {
	switch base := strings.TrimLeft(typ, "*&"); {
	case strings.HasPrefix(base, "func("):
		return "fn"
	case strings.HasPrefix(base, "["):
		return "list"
	case strings.HasPrefix(base, "map["):
		return "m"
	case strings.HasPrefix(base, "chan ") || strings.HasPrefix(base, "<-"):
		return "ch"
	case base == "any" || strings.HasPrefix(base, "interface"):
		return "v"
	case base == "error":
		return "err"
	case base == "bool":
		return "ok"
	case base == "string":
		return "s"
	case strings.HasPrefix(base, "int") || strings.HasPrefix(base, "uint"):
		return "n"
	default:
		base, _, _ = strings.Cut(base, "[")
		base = base[strings.LastIndex(base, ".")+1:]
		letter := strings.ToLower(base[:1])
		if letter >= "g" && letter <= "z" && letter != "t" && letter != "x" && token.IsIdentifier(letter) || letter == "e" {
			return letter
		}
		word := letter + base[1:]
		if !token.IsIdentifier(word) || predeclared[word] {
			return "v"
		}
		return word
	}
}

// predeclared are names that a variable would hide where a test may need them.
var predeclared = map[string]bool{"bool": true, "string": true, "int": true, "byte": true, "float64": true, "float32": true, "complex128": true, "append": true, "cap": true, "close": true, "copy": true, "clear": true, "delete": true, "any": true, "comparable": true}

// asserted writes step i with what is asserted of it.
func (f *regressionFunc) asserted(b *strings.Builder, i int) {
	r, t := f.r, f.test
	list := ""
	if c := t.Calls[i]; c != nil {
		if maker := r.step[t.Steps[i].Args[c.Arg].Slot]; r.inlined[maker] && strings.HasPrefix(r.op(maker).Template, "func(") {
			list = f.unused("seen")
			fmt.Fprintf(b, "var %s %s\n", list, c.Type)
			r.collect = map[int]string{maker: list}
		}
	}
	var variables []string
	call := string(r.call(nil, i, &variables))
	r.collect = nil
	label := f.label(i, call)
	for _, v := range variables {
		b.WriteString(v + "\n")
	}
	f.results(b, i, call, label)
	if list == "" {
		return
	}
	want := t.Calls[i].Text
	if field := f.calls[i]; field != "" {
		want = field
	}
	condition := f.differ(regression.Slice, list, want)
	shown, args := f.wanted(want, f.calls[i] != "")
	if want == t.Calls[i].Type+"{}" {
		condition, shown = "len("+list+") > 0", "no call"
	}
	fmt.Fprintf(b, "if %s {\n%s.Errorf(\"%s calls its function with %%v, want %s\", %s%s)\n}\n", condition, f.w.testVar, percent(label), shown, list, args)
}

// end writes the assertion of what a slot holds behind the last step.
func (f *regressionFunc) end(b *strings.Builder, n int, e regression.End) {
	name := f.r.names[e.Slot]
	want, vary := e.Text, false
	if field := f.wants[[2]int{ends, n}]; field != "" {
		want, vary = field, true
	}
	verb, value := "%v", name
	switch e.How {
	case regression.Len:
		verb, value = "%d elements", "len("+name+")"
	case regression.Bytes:
		verb = "%q"
	}
	shown, arg := f.shown(e.How, want, vary)
	if arg != "" {
		arg = ", " + arg
	}
	condition := f.condition(e.How, name, want, f.r.typ(e.Slot), vary)
	fmt.Fprintf(b, "if %s {\n%s.Errorf(\"%s holds %s, want %s\", %s%s)\n}\n", condition, f.w.testVar, name, verb, shown, value, arg)
}

// label returns what messages call a call.
func (f *regressionFunc) label(i int, call string) string {
	const most = 60
	if len(call) <= most && !strings.Contains(call, "\n") {
		return call
	}
	if m := f.r.op(i).Member; m != "" {
		return m
	}
	return f.r.op(i).Short
}

// results writes the call of step i and the assertions of its results.
func (f *regressionFunc) results(b *strings.Builder, i int, call, label string) {
	r, asserts := f.r, f.test.Asserts[i]
	if asserts == nil {
		b.WriteString(r.results(i) + call + "\n")
		return
	}
	names := make([]string, len(asserts))
	named := false
	for k := range asserts {
		names[k] = r.names[r.slot[i]+k]
		named = named || names[k] != ""
	}
	stands := named || strings.Contains(call, "\n") // a statement of its own: its names stay
	var conditions, verbs, wants, values, wantArgs []string
	nth := 0
	for k, a := range asserts {
		if a.How == regression.None {
			if names[k] == "" {
				names[k] = "_"
			}
			continue
		}
		ty := r.typ(int32(r.slot[i] + k))
		if names[k] == "" {
			taken := names[:k]
			if stands {
				taken = slices.Concat(taken, f.standing)
			}
			names[k], nth = f.local(ty, nth, taken), nth+1
			if stands {
				f.standing = append(f.standing, names[k])
			}
		}
		want, vary := a.Text, false
		if field := f.wants[[2]int{i, k}]; field != "" {
			want, vary = field, true
		}
		if a.How == regression.Same {
			want = r.names[a.Slot]
		}
		conditions = append(conditions, f.condition(a.How, names[k], want, ty, vary))
		verb, value := "%v", names[k]
		switch {
		case a.How == regression.Len:
			verb, value = "%d elements", "len("+names[k]+")"
			if f.w.t.Types[ty].Literal == seq.String {
				verb = "%d bytes"
			}
		case a.How == regression.Bytes, f.w.t.Types[ty].Literal == seq.String && a.How == regression.Equal:
			verb = "%q"
		}
		verbs, values = append(verbs, verb), append(values, value)
		shown, arg := f.shown(a.How, want, vary)
		if vary && verb == "%q" {
			shown = verb
		}
		wants = append(wants, shown)
		if arg != "" {
			wantArgs = append(wantArgs, arg)
		}
	}
	assign := strings.Join(names, ", ") + " := " + call
	failure := fmt.Sprintf("%s.Errorf(\"%s = %s, want %s\", %s)", f.w.testVar, percent(label), strings.Join(verbs, ", "), strings.Join(wants, ", "), strings.Join(append(values, wantArgs...), ", "))
	condition := strings.Join(conditions, " || ")
	if stands {
		fmt.Fprintf(b, "%s\nif %s {\n%s\n}\n", assign, condition, failure)
		return
	}
	fmt.Fprintf(b, "if %s; %s {\n%s\n}\n", assign, condition, failure)
}

// local returns a name for a result that only its assertion uses.
func (f *regressionFunc) local(ty seq.TypeID, nth int, taken []string) string {
	base := "got"
	switch {
	case f.w.t.Types[ty].Name == "error":
		base = "err"
	case f.w.t.Types[ty].Literal == seq.Bool && nth > 0:
		base = "ok"
	}
	name := base
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	return name
}

// condition returns an expression that is true if got is not what is wanted. vary
// says that want is a field of the table.
func (f *regressionFunc) condition(how regression.How, got, want string, ty seq.TypeID, vary bool) string {
	w := f.w
	switch how {
	case regression.Equal:
		isBool := w.t.Types[ty].Literal == seq.Bool && !vary
		switch {
		case isBool && want == "true":
			return "!" + got
		case isBool && want == "false":
			return got
		case strings.HasSuffix(want, "}"):
			return got + " != (" + want + ")"
		}
		return got + " != " + want
	case regression.NaN:
		return "!" + w.pkg("math") + "IsNaN(float64(" + got + "))"
	case regression.Nil:
		return got + " != nil"
	case regression.NotNil:
		return got + " == nil"
	case regression.Same:
		return got + " != " + want
	case regression.Len:
		return "len(" + got + ") != " + want
	case regression.Bytes:
		return "string(" + got + ") != " + want
	case regression.Sentinel:
		return "!" + w.pkg("errors") + "Is(" + got + ", " + want + ")"
	case regression.ErrorText:
		return got + " == nil || " + got + ".Error() != " + want
	case regression.Printed:
		return w.pkg("fmt") + "Sprint(" + got + ") != " + want
	}
	return f.differ(how, got, want)
}

// differ compares slices, maps and what else has no ==.
func (f *regressionFunc) differ(how regression.How, got, want string) string {
	switch {
	case f.w.plain || how == regression.Deep:
		return "!" + f.w.pkg("reflect") + "DeepEqual(" + got + ", " + want + ")"
	case how == regression.Map:
		return "!" + f.w.pkg("maps") + "Equal(" + got + ", " + want + ")"
	}
	return "!" + f.w.pkg("slices") + "Equal(" + got + ", " + want + ")"
}

// shown returns how a message shows what is wanted, and the argument of the format
// that it needs, if any.
func (f *regressionFunc) shown(how regression.How, want string, vary bool) (text, arg string) {
	switch {
	case vary && (how == regression.Bytes || how == regression.Printed):
		return "%q", want
	case vary:
		return "%v", want
	case how == regression.Nil:
		return "nil", ""
	case how == regression.NotNil:
		return "not nil", ""
	case how == regression.NaN:
		return "NaN", ""
	case how == regression.ErrorText:
		return "error " + percent(line(want)), ""
	}
	return percent(line(want)), ""
}

// wanted is shown for calls of functions; what it needs stands behind a comma.
func (f *regressionFunc) wanted(want string, vary bool) (text, args string) {
	text, args = f.shown(regression.Slice, want, vary)
	if args != "" {
		args = ", " + args
	}
	return text, args
}
