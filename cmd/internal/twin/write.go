package twin

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/exhaustive"
)

const exhaustivePath = "foray.test/harness/exhaustive"

// A writer writes the file.
type writer struct {
	*generator
	bytes.Buffer
	ex   string // the package of cells
	like bool   // a value of the original gives the fields that are not chosen
	open bool   // … which is a parameter

	inits, values string // the names of generated types
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// write returns the file with rewritten functions.
func (g *generator) write(rewritten []string) (*Result, error) {
	w := &writer{generator: g, ex: g.imports[exhaustivePath]}
	w.inits, w.values = g.unique(g.root.base+"Objects"), g.unique(g.root.base+"Values")
	cases := g.unique(g.root.base + "Cases")
	r := &Result{Type: g.original(g.root.inst), Cases: cases, Pred: g.predicate.Name()}
	w.like = w.needsLike()
	if w.open = w.like && g.like == ""; !w.like && g.like != "" {
		return nil, &load.Error{Place: g.pkg.Path, Msg: fmt.Sprintf("no field of %s comes from a value that is given", r.Type), Hint: "leave -like out, or tag a field `exhaustive:\"like\"`"}
	}
	w.cases(cases, r.Type)
	if g.root.obj.Exported() && !w.open {
		r.Small = w.small(cases, r.Type)
	}
	for _, s := range g.order {
		if s.used {
			w.twinType(s)
		}
	}
	for _, text := range rewritten {
		w.line("%s", text)
	}
	w.objects()
	w.conversion(r.Type)
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s\n\npackage %s\n\nimport (\n", Mark, g.pkg.Name)
	for _, path := range slices.Sorted(maps.Keys(g.imports)) {
		fmt.Fprintf(&head, "%s %q\n", g.imports[path], path)
	}
	head.WriteString(")\n\n")
	head.Write(w.Bytes())
	source, err := format.Source(tidyImports(head.Bytes(), g.imports))
	if err != nil {
		return nil, &load.Error{Place: g.pkg.Path, Msg: "the twin is no Go: " + err.Error(), Hint: "this is a fault of foray"}
	}
	r.Source, r.Like = source, w.open
	r.Chosen, r.Left = w.told()
	return r, g.check(source)
}

// tidyImports leaves out import names that the paths say.
func tidyImports(source []byte, imports map[string]string) []byte {
	for path, name := range imports {
		if path[strings.LastIndexByte(path, '/')+1:] == name {
			source = bytes.Replace(source, fmt.Appendf(nil, "%s %q\n", name, path), fmt.Appendf(nil, "%q\n", path), 1)
		}
	}
	return source
}

// needsLike reports whether the root has fields that only the caller can know.
func (w *writer) needsLike() bool {
	return slices.ContainsFunc(w.root.fields, w.copied)
}

// copied reports whether f comes from the value that the caller gives.
func (g *generator) copied(f *field) bool {
	if f.kind != plain || f.owner != g.root || g.involves(f.origin.Type()) || f.name == "_" {
		return false
	}
	if f.tag.Skip {
		return f.tag.Like
	}
	switch f.t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}

// cases writes the function that a test calls.
func (w *writer) cases(name, typ string) {
	param, like, arg, convert := "", "", "", w.values+"Of"
	if w.open {
		param, arg = ", like *"+typ, ", like"
	}
	if w.like {
		like = ", like: like"
		convert = fmt.Sprintf("func(t *%s) *%s { return %s(t, like) }", w.instTwin(w.root), typ, convert)
	}
	w.line("// %s returns every %s of at most n objects of each struct type for which", name, typ)
	w.line("// %s holds. With it a test is three lines:", w.predicate.Name())
	w.line("//\n//\t%s(4%s).Test(t, func(v *%s) error { … })", name, arg, typ)
	if w.open {
		w.line("//\n// The fields of like that cannot be chosen, such as functions, are those of every value.")
	}
	w.line("func %s(n int%s) *%s.Cases[*%s] {", name, param, w.ex, typ)
	if w.like && !w.open {
		w.line("like := %s", w.generator.like)
	}
	w.line("build := func(c *%s.C) *%s { return (&%s{c: c, n: n%s}).build() }", w.ex, w.instTwin(w.root), w.inits, like)
	w.line("return %s.Convert(%[1]s.Search(build, %[2]s), %[3]s)", w.ex, w.predicateText(), convert)
	w.line("}\n")
}

// small writes the function from which foray fuzz has values, and returns its name. It is
// exported, so that a test outside of the package may call it.
func (w *writer) small(cases, typ string) string {
	name := w.unique("Small" + w.root.obj.Name())
	values := w.unique(lower(name))
	w.line("var %s = %s.Small(%s)\n", values, w.ex, cases)
	w.line("// %s returns the i-th of some small values of %s, counted round. foray fuzz begins with", name, typ)
	w.line("// them, too, and the tests that it writes call this function.")
	w.line("func %s(i uint16) *%s { return %s(int(i)) }\n", name, typ, values)
	return name
}

// instTwin returns the text of the twin of the instance that structures have.
func (w *writer) instTwin(s *structType) string { return w.twinOf(s, s.inst) }

// predicateText returns the predicate as a function from the twin to bool.
func (w *writer) predicateText() string {
	function, call := "(*"+w.instTwin(w.root)+")."+w.predicate.Name(), "t."+w.predicate.Name()+"()"
	if w.predicate.Signature().Recv() == nil {
		function = w.funcs[w.predicate]
		call = function + "(t)"
	}
	switch t := w.predicate.Signature().Results().At(0).Type(); {
	case types.Identical(t, types.Typ[types.Bool]):
		if w.predicate.Signature().Recv() != nil || w.predicate.Signature().TypeParams() == nil {
			return function
		}
	case isBool(t):
		call = "bool(" + call + ")"
	default:
		call += " == nil"
	}
	return fmt.Sprintf("func(t *%s) bool { return %s }", w.instTwin(w.root), call)
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// twinType writes the type of a twin.
func (w *writer) twinType(s *structType) {
	origin := s.inst.Origin()
	w.line("// %s is a %s whose fields are chosen when they are read.", s.twin(), s.obj.Name())
	w.line("type %s%s struct {", s.twin(), w.parameters(origin))
	for _, f := range s.fields {
		switch {
		case f.chosen():
			w.line("%s %s", f.name, w.cell(f.shape, f.origin.Type()))
		case f.read:
			w.line("%s %s", f.name, w.text(f.origin.Type()))
		}
	}
	w.line("}\n")
}

// cell returns the type of the cell for a field of type t, which may be that of the generic
// type.
func (w *writer) cell(s *shape, t types.Type) string {
	switch s.kind {
	case ref:
		return w.ex + ".Ref[" + strings.TrimPrefix(w.text(t), "*") + "]"
	case list:
		return w.ex + ".Slice[" + w.element(s.elem, elemOf(t)) + "]"
	case part:
		return w.text(t)
	}
	return w.ex + ".Val[" + w.text(t) + "]"
}

// element returns the type that reading an element of type t has.
func (w *writer) element(s *shape, t types.Type) string {
	if s.kind == list {
		return "*" + w.cell(s, t)
	}
	return w.text(t)
}

func elemOf(t types.Type) types.Type {
	return t.Underlying().(interface{ Elem() types.Type }).Elem()
}

// objects writes the type that builds a twin, with its methods.
func (w *writer) objects() {
	w.line("// %s are the objects that a twin consists of.", w.inits)
	w.line("type %s struct {\nc *%s.C\nn int", w.inits, w.ex)
	if w.like {
		w.line("like *%s", w.original(w.root.inst))
	}
	for _, s := range w.order {
		if s.pooled {
			w.line("%s *%s.Objects[%s]", s.base, w.ex, w.instTwin(s))
		}
	}
	w.line("}\n")
	w.build()
	for _, s := range w.order {
		if s.used {
			w.init(s)
		}
	}
}

// build writes the method that makes the root.
func (w *writer) build() {
	w.line("func (o *%s) build() *%s {", w.inits, w.instTwin(w.root))
	for _, s := range w.order {
		if s.pooled {
			n := "o.n"
			if taken := len(w.taken(s)); taken > 0 {
				n = fmt.Sprintf("o.n+%d", taken)
			}
			w.line("o.%s = %s.NewObjects[%s](o.c, %s)", s.base, w.ex, w.instTwin(s), n)
		}
	}
	if w.root.pooled {
		w.line("t := o.%s.Take()", w.root.base)
	} else {
		w.line("t := new(%s)", w.instTwin(w.root))
	}
	for _, s := range w.order {
		for _, f := range w.taken(s) {
			w.line("t.%s = o.%s.Take()", f.name, s.base)
		}
	}
	for _, s := range w.order {
		if s.pooled {
			w.line("o.%s.Init(o.init%s)", s.base, upper(s.base))
		}
	}
	if !w.root.pooled {
		w.line("o.init%s(t)", upper(w.root.base))
	}
	w.line("return t\n}\n")
}

// taken returns the fields of the root that are objects to which fields may refer.
func (w *writer) taken(s *structType) (list []*field) {
	for _, f := range w.root.fields {
		if f.chosen() && f.kind == part && f.to == s && s.pooled {
			list = append(list, f)
		}
	}
	return list
}

// init writes the method that gives the cells of a twin their domains.
func (w *writer) init(s *structType) {
	w.line("func (o *%s) init%s(x *%s) {", w.inits, upper(s.base), w.instTwin(s))
	for _, f := range s.fields {
		switch {
		case f.chosen() && f.kind == part && slices.Contains(w.taken(f.to), f):
			if w.root.pooled { // one that is not the root
				w.line("if x.%s == nil {", f.name)
				w.initCell("x."+f.name, f, f.shape)
				w.line("}")
			}
		case f.chosen():
			w.initCell("x."+f.name, f, f.shape)
		case f.read && w.copied(f):
			w.line("if o.like != nil {\nx.%s = o.like.%[1]s\n}", f.name)
		}
	}
	w.line("}\n")
}

// initCell writes statements that give a cell its domain.
func (w *writer) initCell(x string, f *field, s *shape) {
	switch s.kind {
	case val:
		w.line("%s.Of(o.c, %s)", x, w.domain(f, s.t))
	case ref:
		how := "Of"
		if f.tag.NonNil {
			how = "NonNil"
		}
		w.line("%s.%s(o.%s)", x, how, s.to.base)
	case part:
		w.line("%s = new(%s)\no.init%s(%[1]s)", x, w.instTwin(s.to), upper(s.to.base))
	case list:
		lengths := fmt.Sprintf("%s.Range(0, o.n)", w.ex)
		if s.n >= 0 {
			lengths = fmt.Sprintf("[]int{%d}", s.n)
		} else if f.tag.Least != nil && s == f.shape {
			lengths = fmt.Sprintf("%s.Range(%s, %s)", w.ex, bound(*f.tag.Least), bound(*f.tag.Most))
		}
		elem := w.element(s.elem, s.elem.t)
		w.line("%s.Of(o.c, %s, func() func() %s {", x, lengths, elem)
		switch {
		case !s.some:
			w.line("return func() (zero %s) { return zero }", elem)
		case s.elem.kind == part:
			w.line("var v %s", elem)
			w.initCell("v", f, s.elem)
			w.line("return func() %s { return v }", elem)
		case s.elem.kind == list:
			w.line("v := new(%s)", elem[1:])
			w.initCell("v", f, s.elem)
			w.line("return func() %s { return v }", elem)
		default:
			w.line("v := new(%s)", w.cell(s.elem, s.elem.t))
			w.initCell("v", f, s.elem)
			w.line("return v.Get")
		}
		w.line("})")
	}
}

func bound(b exhaustive.Bound) string {
	switch {
	case !b.N:
		return fmt.Sprint(b.Plus)
	case b.Plus == 0:
		return "o.n"
	}
	return fmt.Sprintf("o.n%+d", b.Plus)
}

// domain returns the arguments that list the values of a cell.
func (w *writer) domain(f *field, t types.Type) string {
	info := t.Underlying().(*types.Basic).Info()
	if info&types.IsBoolean != 0 {
		return "false, true"
	}
	if f.tag.Lo == nil {
		if names := w.constants(t); len(names) > 0 {
			return strings.Join(names, ", ")
		}
	}
	if info&types.IsString != 0 {
		return fmt.Sprintf("%s.Words[%s](o.n)...", w.ex, w.original(t))
	}
	lo, hi := exhaustive.Bound{}, exhaustive.Bound{N: true}
	if f.tag.Lo != nil {
		lo, hi = *f.tag.Lo, *f.tag.Hi
	}
	convert := func(b exhaustive.Bound) string {
		if text := bound(b); !b.N || types.Identical(t, types.Typ[types.Int]) {
			return text
		} else {
			return w.original(t) + "(" + text + ")"
		}
	}
	if lo == hi {
		return convert(lo)
	}
	instance := ""
	if !types.Identical(t, types.Typ[types.Int]) {
		instance = "[" + w.original(t) + "]"
	}
	return fmt.Sprintf("%s.Range%s(%s, %s)...", w.ex, instance, convert(lo), convert(hi))
}

// constants returns the names of the constants of a type of the package, one for each value,
// in the order of their declaration.
func (w *writer) constants(t types.Type) []string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != w.pkg.Types {
		return nil
	}
	var list []*types.Const
	seen := map[string]bool{}
	scope := w.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) && name != "_" {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	var names []string
	for _, c := range list {
		if v := c.Val().ExactString(); !seen[v] {
			seen[v] = true
			names = append(names, c.Name())
		}
	}
	return names
}

// conversion writes what makes a value of a twin.
func (w *writer) conversion(typ string) {
	w.line("// %s makes values of twins. What is shared stays shared.", w.values)
	w.line("type %s struct {", w.values)
	for _, s := range w.order {
		if s.pooled {
			w.line("%s map[*%s]*%s", s.base, w.instTwin(s), w.original(s.inst))
		}
	}
	w.line("}\n")
	param := ""
	if w.like {
		param = ", like *" + typ
	}
	w.line("func %sOf(t *%s%s) *%s {", w.values, w.instTwin(w.root), param, typ)
	w.line("v := new(%s)\nm := &%s{", typ, w.values)
	for _, s := range w.order {
		if !s.pooled {
			continue
		}
		known := ""
		if s == w.root {
			known = "t: v, "
		}
		for _, f := range w.taken(s) {
			known += fmt.Sprintf("t.%s: &v.%[1]s, ", f.name)
		}
		w.line("%s: map[*%s]*%s{%s},", s.base, w.instTwin(s), w.original(s.inst), strings.TrimSuffix(known, ", "))
	}
	w.line("}\nm.set%s(v, t)", upper(w.root.base))
	if w.like {
		w.line("if like != nil {")
		for _, f := range w.root.fields {
			if w.copied(f) {
				w.line("v.%s = like.%[1]s", f.name)
			}
		}
		w.line("}")
	}
	w.line("return v\n}\n")
	for _, s := range w.order {
		if s.used {
			w.set(s)
		}
	}
}

// set writes the methods that make a value of one type.
func (w *writer) set(s *structType) {
	twin, typ := w.instTwin(s), w.original(s.inst)
	if s.pooled {
		w.line("func (m *%s) of%s(x *%s) *%s {", w.values, upper(s.base), twin, typ)
		w.line("if x == nil {\nreturn nil\n}\nv := m.%s[x]\nif v == nil {\nv = new(%s)\nm.%[1]s[x] = v\nm.set%[3]s(v, x)\n}\nreturn v\n}\n", s.base, typ, upper(s.base))
	}
	w.line("func (m *%s) set%s(v *%s, x *%s) {", w.values, upper(s.base), typ, twin)
	for _, f := range s.fields {
		if f.chosen() {
			x := "x." + f.name
			if f.kind == val || f.kind == ref {
				x += ".Get()"
			}
			w.assign("v."+f.name, x, f.shape, 0)
		}
	}
	w.line("}\n")
}

// assign writes statements that set v to the value of x.
func (w *writer) assign(v, x string, s *shape, depth int) {
	switch s.kind {
	case val:
		w.line("%s = %s", v, x)
	case ref:
		w.line("%s = m.of%s(%s)", v, upper(s.to.base), x)
	case part:
		w.line("m.set%s(&%s, %s)", upper(s.to.base), v, x)
	case list:
		if s.n < 0 {
			w.line("if n := %s.Len(); n > 0 {\n%s = make(%s, n)\n}", x, v, w.original(s.t))
		}
		if !s.some {
			return
		}
		i, y := fmt.Sprint("i", depth), fmt.Sprint("y", depth)
		w.line("for %s, %s := range %s.All() {", i, y, x)
		w.assign(v+"["+i+"]", y, s.elem, depth+1)
		w.line("}")
	}
}

// told returns what to say of the fields.
func (w *writer) told() (chosen, left []string) {
	for _, s := range w.order {
		if !s.used {
			continue
		}
		for _, f := range s.fields {
			switch {
			case f.chosen():
				chosen = append(chosen, f.String()+w.valuesText(f))
			case f.name != "_" && !w.copied(f):
				left = append(left, f.String())
			}
		}
	}
	return chosen, left
}

// valuesText returns the values of a field for a reader.
func (w *writer) valuesText(f *field) string {
	s := f.leaf()
	switch {
	case f.kind == list && !f.some:
		return " (its length)"
	case s.kind != val:
		return ""
	}
	text := w.domain(f, s.t)
	text = strings.TrimSuffix(strings.NewReplacer(w.ex+".", "", "o.n", "n").Replace(text), "...")
	if inside, ok := strings.CutPrefix(text, "Range("); ok {
		text = strings.Replace(strings.TrimSuffix(inside, ")"), ", ", " to ", 1)
	}
	return " (" + text + ")"
}
