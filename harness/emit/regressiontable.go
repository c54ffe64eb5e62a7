package emit

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// tableField is a column of the table.
type tableField struct {
	name, typ string
	of        func(t *regression.Test) string
}

// Groups returns the numbers of the tests that [Regressions] writes into each function.
func Groups(t *seq.Table, tests []Regression) [][]int {
	return newRegressionWriter(t).groups(tests)
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

// shape returns equal keys for tests that differ only in values. It reports
// false if the values cannot be in a table.
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

// columnType returns the type of a column for argument j of a step, a literal.
// It is any if the parameter is, so that literals of several types fit.
func (w *regressionWriter) columnType(st *seq.Step, j int) seq.TypeID {
	if p := w.t.Ops[st.Op].Param(j); w.t.Types[p].IsAny() {
		return p
	}
	return st.Args[j].Lit.Type
}

// cell returns a literal as written in a column of type typ.
func (w *regressionWriter) cell(l *seq.Literal, typ string) string {
	text := string(verbatim(w.t.AppendTyped(nil, l), l))
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

// columns finds the differences between the tests of a group.
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
			f.column(group, f.wantName(op), f.wantType(r.How, types[slot+k]), func(name string) { f.wants[at] = name }, func(other *regression.Test) string {
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

// wantName returns a name for the column of results of an operation: want, and wantLen for
// those of Len if there is another.
func (f *regressionFunc) wantName(op *seq.Operation) string {
	if _, member := memberNames(f.w.t, op); member != "" && slices.ContainsFunc(f.fields, func(c tableField) bool { return c.name == "want" }) {
		return "want" + member
	}
	return "want"
}

// wantType returns the type of the value compared with a result of static type
// ty.
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

// column adds a column if its cells differ, or uses another one with the same
// cells.
func (f *regressionFunc) column(group []*Regression, base, typ string, found func(name string), of func(*regression.Test) string) {
	first := of(&group[0].Test)
	if !slices.ContainsFunc(group, func(g *Regression) bool { return of(&g.Test) != first }) {
		return
	}
	for _, c := range f.fields {
		if c.typ == typ && !slices.ContainsFunc(group, func(g *Regression) bool { return of(&g.Test) != c.of(&g.Test) }) {
			found(f.w.row + "." + c.name)
			return
		}
	}
	name := numbered(base, func(name string) bool {
		return slices.ContainsFunc(f.fields, func(c tableField) bool { return c.name == name })
	})
	f.fields = append(f.fields, tableField{name, typ, of})
	found(f.w.row + "." + name)
}

// table returns the table and the beginning of the loop over it.
func (f *regressionFunc) table(group []*Regression) string {
	var b strings.Builder
	fmt.Fprintf(&b, "for i, %s := range []struct {\n", f.w.row)
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
