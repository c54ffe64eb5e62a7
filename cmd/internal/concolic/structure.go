package concolic

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// A Structure is the input of a run on structures as Go, for a file of the package.
type Structure struct {
	Setup []string // statements that make the objects
	// Variables are declared in Setup, that of a receiver first.
	Variables []string
	Call      string
	Objects   int
	Checks    []Check // of the arguments
}

// A Check is a call of a precondition.
type Check struct {
	Call string
	Err  bool // it returns an error, not a bool
}

// structureWriter writes objects as literals. An object with one pointer to it is written
// inside the literal that has the pointer; the others have variables.
type structureWriter struct {
	in      *Input
	heap    *heap
	refs    map[*object]int
	names   map[*object]string
	written map[*object]bool
	setup   []string
	later   []string // assignments of pointers to objects that were not written in time
	objects int
}

// Structure returns the input of a run.
func (in *Input) Structure(run *Run) Structure {
	w := &structureWriter{in: in, heap: run.heap, refs: map[*object]int{}, names: map[*object]string{}, written: map[*object]bool{}}
	for _, o := range w.heap.args {
		w.count(o)
	}
	var out Structure
	var args []string
	for i := range in.params {
		p := &in.params[i]
		if !p.object {
			args = append(args, w.scalar(p, p.value(run.Input)))
			continue
		}
		o := w.heap.args[i]
		args = append(args, w.variable(o))
		if pred := in.lazy.preds[i]; o != nil && pred != nil {
			out.Checks = append(out.Checks, Check{w.names[o] + "." + pred.Name() + "()", !isBool(pred)})
		}
	}
	fn := in.fn.ssa
	for i := range len(w.names) {
		out.Variables = append(out.Variables, "v"+strconv.Itoa(i))
	}
	out.Setup, out.Objects = append(w.setup, w.later...), w.objects
	name := fn.Name()
	if fn.Signature.Recv() != nil {
		name, args = args[0]+"."+name, args[1:]
	}
	out.Call = name + "(" + strings.Join(args, ", ") + ")"
	return out
}

// WriteTest writes a test function. The precondition must hold before the call and after it.
func (s Structure) WriteTest(b *strings.Builder, name, comment string) {
	fmt.Fprintf(b, "func %s(t *testing.T) {\n", name)
	for _, line := range s.Setup {
		fmt.Fprintf(b, "\t%s\n", line)
	}
	s.writeChecks(b, "Fatal", "before")
	if comment != "" {
		comment = " // " + comment
	}
	fmt.Fprintf(b, "\t%s%s\n", s.Call, comment)
	s.writeChecks(b, "Error", "after")
	b.WriteString("}\n")
}

func (s Structure) writeChecks(b *strings.Builder, fail, when string) {
	for _, c := range s.Checks {
		if c.Err {
			fmt.Fprintf(b, "\tif err := %s; err != nil {\n\t\tt.%sf(\"%s the call: %%v\", err)\n\t}\n", c.Call, fail, when)
			continue
		}
		fmt.Fprintf(b, "\tif !%s {\n\t\tt.%s(\"%s does not hold %s the call\")\n\t}\n", c.Call, fail, c.Call, when)
	}
}

// count counts the pointers to each object.
func (w *structureWriter) count(o *object) {
	if o == nil {
		return
	}
	if w.refs[o]++; w.refs[o] == 1 {
		w.objects++
		w.countCell(o.cell)
	}
}

func (w *structureWriter) countCell(c *cell) {
	w.count(c.to)
	for _, part := range c.parts {
		w.countCell(part)
	}
}

// variable declares the variable of an object, and returns its name.
func (w *structureWriter) variable(o *object) string {
	if o == nil {
		return "nil"
	}
	if name := w.names[o]; name != "" {
		return name
	}
	name := "v" + strconv.Itoa(len(w.names))
	w.names[o] = name
	literal := "&" + w.aggregate(o.cell, name)
	w.setup = append(w.setup, name+" := "+literal)
	w.written[o] = true
	return name
}

func (w *structureWriter) qualifier() types.Qualifier { return types.RelativeTo(w.in.lazy.pkg) }

// aggregate returns the literal of a struct or an array, without what is zero.
func (w *structureWriter) aggregate(c *cell, path string) string {
	var parts []string
	st, _ := c.typ.Underlying().(*types.Struct)
	for i, part := range c.parts {
		at, key := fmt.Sprintf("%s[%d]", path, i), strconv.Itoa(i)
		if st != nil {
			key = st.Field(i).Name()
			at = path + "." + key
		}
		if s := w.cell(part, at); s != "" && key != "_" {
			parts = append(parts, key+": "+s)
		}
	}
	return types.TypeString(c.typ, w.qualifier()) + "{" + strings.Join(parts, ", ") + "}"
}

// cell returns the literal of a cell, or nothing if it is zero or assigned later.
func (w *structureWriter) cell(c *cell, path string) string {
	switch {
	case c.parts != nil:
		s := w.aggregate(c, path)
		if strings.HasSuffix(s, "{}") {
			return ""
		}
		return s
	case c.to != nil && w.refs[c.to] == 1:
		return "&" + w.aggregate(c.to.cell, path)
	case c.to != nil:
		name := w.variable(c.to)
		if !w.written[c.to] {
			w.later = append(w.later, path+" = "+name)
			return ""
		}
		return name
	case !c.set || w.heap.target(c.typ) != nil:
		return ""
	}
	p, _ := newParam(c.typ)
	if s := w.scalar(&p, c.v); s != "0" && s != "false" && s != `""` {
		return s
	}
	return ""
}

func (w *structureWriter) scalar(p *param, v value) string {
	switch {
	case p.text:
		return strconv.Quote(v.str().s)
	case p.list:
		return sliceLiteral(p.typ, v.elems(), w.qualifier())
	}
	return literal(p.typ, &v)
}
