package usage

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/values"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// A reader reads the tests of one unit: the test files of the package, or those of the
// external test package.
type reader struct {
	*collection
	unit       load.Tests
	from       string // the place of the function that is read: see profile.Calls
	path       string // of the package under test
	fset       *token.FileSet
	builder    *values.Builder
	pool       *engine.Pool
	operations operations
	functions  map[*types.Func]*ast.FuncDecl // of the test files
	globals    map[types.Object]ast.Expr     // the variables of the test files, with their values
	lookups    map[*ast.CallExpr]lookup
	standIns   []string // constants that others stand for, see standIn
	writer     *writer
	visits     int // statements that may still be read
}

// declare has the test files of a unit read, and notes the functions and variables that they declare.
func (r *reader) declare(unit load.Tests) {
	r.unit = unit
	r.functions, r.globals = map[*types.Func]*ast.FuncDecl{}, map[types.Object]ast.Expr{}
	for _, file := range r.unit.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if fn, ok := r.unit.Info.Defs[d.Name].(*types.Func); ok {
					r.functions[fn] = d
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if vs, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						r.declareVariables(vs)
					}
				}
			}
		}
	}
}

func (r *reader) declareVariables(vs *ast.ValueSpec) {
	for i, name := range vs.Names {
		if obj := r.unit.Info.Defs[name]; obj != nil && (len(vs.Values) == 0 || len(vs.Values) == len(vs.Names)) {
			r.globals[obj] = nil
			if len(vs.Values) > 0 {
				r.globals[obj] = vs.Values[i]
			}
		}
	}
}

// typeID returns the table's type of t, if it has it.
func (r *reader) typeID(t types.Type) (seq.TypeID, bool) {
	if t == nil {
		return 0, false
	}
	if id, ok := r.builder.TypeID(t); ok {
		return id, true
	}
	if out := r.writer.written(t); out != nil {
		return r.builder.TypeID(out)
	}
	return 0, false
}

// spelled returns a type as the table has it: written out if the tests declare it.
func (r *reader) spelled(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if _, ok := r.builder.TypeID(t); !ok {
		if out := r.writer.written(t); out != nil {
			return out
		}
	}
	return t
}

// readFunction reads a test, an example or a fuzz target.
func (r *reader) readFunction(fd *ast.FuncDecl) {
	s := newState(r.table)
	f := &frame{fuzz: strings.HasPrefix(fd.Name.Name, "Fuzz")}
	r.exec(s, f, fd.Body.List)
	if f.guarded {
		r.catch(f)
	}
	r.emit(s.draft.Steps, s.from)
}

// A jump says how the statements of a block ended.
type jump uint8

const (
	goesOn    jump = iota
	continues      // continue
	leaves         // break
	returns        // return, or the end of a test
)

// exec reads statements.
func (r *reader) exec(s *state, f *frame, list []ast.Stmt) jump {
	for _, st := range list {
		if r.visits--; r.visits < 0 || len(s.draft.Steps) >= maxDraft {
			return returns
		}
		if j := r.statement(s, f, st); j != goesOn {
			return j
		}
	}
	return goesOn
}

func (r *reader) statement(s *state, f *frame, st ast.Stmt) jump {
	switch st := st.(type) {
	case *ast.ExprStmt:
		r.eval(s, f, st.X)
	case *ast.AssignStmt:
		r.assign(s, f, st)
	case *ast.DeclStmt:
		r.declaration(s, f, st)
	case *ast.IncDecStmt:
		r.increment(s, f, st)
	case *ast.BlockStmt:
		return r.exec(s, f, st.List)
	case *ast.LabeledStmt:
		return r.statement(s, f, st.Stmt)
	case *ast.IfStmt:
		return r.branch(s, f, st)
	case *ast.ForStmt:
		return r.loop(s, f, st)
	case *ast.RangeStmt:
		return r.rangeLoop(s, f, st)
	case *ast.SwitchStmt:
		return r.choice(s, f, st)
	case *ast.DeferStmt:
		if lit, ok := st.Call.Fun.(*ast.FuncLit); ok && recovers(lit.Body) {
			f.guarded = true
		}
	case *ast.ReturnStmt:
		f.results = r.evalAll(s, f, st.Results)
		return returns
	case *ast.BranchStmt:
		switch st.Tok {
		case token.CONTINUE:
			return continues
		case token.BREAK:
			return leaves
		}
		return returns
	}
	return goesOn
}

// recovers reports whether a block calls recover.
func recovers(body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "recover" {
				return true
			}
		}
	}
	return false
}

// assign reads an assignment or a short declaration.
func (r *reader) assign(s *state, f *frame, st *ast.AssignStmt) {
	if st.Tok != token.ASSIGN && st.Tok != token.DEFINE { // x += y
		op := st.Tok - token.ADD_ASSIGN + token.ADD
		r.store(s, f, st.Lhs[0], binary(op, r.eval(s, f, st.Lhs[0]), r.eval(s, f, st.Rhs[0])))
		return
	}
	list := r.evalAll(s, f, st.Rhs)
	for i, l := range st.Lhs {
		v := value{}
		if i < len(list) {
			v = list[i]
		}
		r.store(s, f, l, v)
	}
}

// store assigns a value.
func (r *reader) store(s *state, f *frame, to ast.Expr, v value) {
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		if obj := r.object(to); obj != nil {
			if v.kind == null && v.typ == nil {
				v.typ = obj.Type()
			}
			if (v.kind == literal || v.kind == constval) && types.IsInterface(obj.Type()) && v.typ == nil {
				v.typ = obj.Type()
			}
			s.vars[obj] = v
		}
	case *ast.SelectorExpr:
		r.setField(s, r.eval(s, f, to.X), to.Sel.Name, v)
	case *ast.IndexExpr:
		x, index := r.eval(s, f, to.X), r.eval(s, f, to.Index)
		if x.kind == literal && len(s.made[x.lit]) == 0 && setElement(s, x.lit, index, v) {
			return
		}
		s.lose(x)
	case *ast.StarExpr:
		s.lose(r.eval(s, f, to.X))
	}
}

// setElement sets an element of a composite that no step has made yet.
func setElement(s *state, c *composite, index, v value) bool {
	if index.kind != constval || s.now(c).isText {
		return false
	}
	i := s.now(c).place(index.con)
	switch {
	case i >= 0:
		s.edit(c).elems[i] = v
	case isMap(c.typ):
		e := s.edit(c)
		e.keys, e.elems = append(e.keys, index), append(e.elems, v)
	default:
		return false
	}
	return true
}

// setField sets a field of a struct.
func (r *reader) setField(s *state, x value, name string, v value) {
	switch x.kind {
	case literal, address:
		if slots := s.made[x.lit]; len(slots) > 0 {
			id, ok := r.typeID(types.NewPointer(x.lit.typ))
			if arg, made := r.made(s, x, id); ok && made {
				r.setField(s, value{kind: result, slot: arg.Slot}, name, v)
				return
			}
			s.lose(x)
			return
		}
		if _, ok := x.lit.typ.Underlying().(*types.Struct); !ok {
			return
		}
		e := s.edit(x.lit)
		if i := slices.Index(e.names, name); i >= 0 {
			e.elems[i] = v
			return
		}
		e.names, e.elems = append(e.names, name), append(e.elems, v)
	case result:
		id, ok := r.operations.fields[field{seq.FieldSet, s.draft.Types[x.slot], name}]
		if ok && !s.isLost(x) {
			if arg, ok := r.argument(s, v, r.table.Ops[id].Params[1], false); ok {
				s.draft.Add(id, []seq.Arg{seq.Slot(int(x.slot)), arg})
				return
			}
		}
		s.lose(x)
	}
}

func (r *reader) declaration(s *state, f *frame, st *ast.DeclStmt) {
	gd, ok := st.Decl.(*ast.GenDecl)
	if !ok || gd.Tok != token.VAR {
		return
	}
	for _, spec := range gd.Specs {
		vs := spec.(*ast.ValueSpec)
		list := r.evalAll(s, f, vs.Values)
		for i, name := range vs.Names {
			obj := r.unit.Info.Defs[name]
			switch {
			case obj == nil:
			case i < len(list):
				s.vars[obj] = list[i]
			case len(vs.Values) == 0:
				s.vars[obj] = zero(obj.Type())
			default:
				s.vars[obj] = value{}
			}
		}
	}
}

func (r *reader) increment(s *state, f *frame, st *ast.IncDecStmt) {
	op := token.ADD
	if st.Tok == token.DEC {
		op = token.SUB
	}
	v := r.eval(s, f, st.X)
	r.store(s, f, st.X, binary(op, v, constOf(constant.MakeInt64(1), v.typ)))
}
