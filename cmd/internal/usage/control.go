package usage

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"foray.test/engine/seq"
)

// branch reads an if statement. If its condition is not known, it is taken unless it only
// reports a failure or ends the function.
func (r *reader) branch(s *state, f *frame, st *ast.IfStmt) jump {
	if st.Init != nil {
		r.statement(s, f, st.Init)
	}
	cond := r.eval(s, f, st.Cond)
	if cond.kind == constval && cond.con.Kind() == constant.Bool {
		switch {
		case constant.BoolVal(cond.con):
			return r.exec(s, f, st.Body.List)
		case st.Else != nil:
			return r.statement(s, f, st.Else)
		}
		return goesOn
	}
	if fails(st.Body) {
		r.forget(s, st.Body)
		if st.Else != nil {
			return r.statement(s, f, st.Else)
		}
		return goesOn
	}
	if st.Else != nil {
		r.forget(s, st.Else)
	}
	j := r.exec(s, f, st.Body.List)
	r.forget(s, st.Body)
	return j
}

// fails reports whether a block ends the function or the round of a loop, or reports a
// failure.
func fails(body *ast.BlockStmt) bool {
	for _, st := range body.List {
		switch st := st.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			return true
		case *ast.ExprStmt:
			call, ok := st.X.(*ast.CallExpr)
			if !ok {
				break
			}
			switch name := calleeName(call.Fun); {
			case name == "panic", strings.HasPrefix(name, "Fatal"), strings.HasPrefix(name, "Error"), strings.HasPrefix(name, "Fail"),
				strings.HasPrefix(name, "Log"), strings.HasPrefix(name, "Skip"), strings.HasPrefix(name, "Print"):
				return true
			}
		}
	}
	return len(body.List) == 0
}

// forget forgets the values of the variables that statements assign to.
func (r *reader) forget(s *state, n ast.Node) {
	for n := range ast.Preorder(n) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				r.forgetVariable(s, l)
			}
		case *ast.IncDecStmt:
			r.forgetVariable(s, n.X)
		}
	}
}

func (r *reader) forgetVariable(s *state, e ast.Expr) {
	if id, ok := e.(*ast.Ident); ok {
		if obj := r.unit.Info.Uses[id]; obj != nil {
			s.vars[obj] = value{typ: obj.Type()}
		}
	}
}

// choice reads a switch statement: the case that is surely taken, or none.
func (r *reader) choice(s *state, f *frame, st *ast.SwitchStmt) jump {
	if st.Init != nil {
		r.statement(s, f, st.Init)
	}
	tag := constOf(constant.MakeBool(true), types.Typ[types.Bool])
	if st.Tag != nil {
		tag = r.eval(s, f, st.Tag)
	}
	var otherwise *ast.CaseClause
	for _, c := range st.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			otherwise = clause
		}
		for _, e := range clause.List {
			is := binary(token.EQL, tag, r.eval(s, f, e))
			if is.kind != constval {
				r.forget(s, st.Body)
				return goesOn
			}
			if constant.BoolVal(is.con) {
				return afterSwitch(r.exec(s, f, clause.Body))
			}
		}
	}
	if otherwise != nil {
		return afterSwitch(r.exec(s, f, otherwise.Body))
	}
	return goesOn
}

// afterSwitch returns j behind a switch statement, which break only leaves.
func afterSwitch(j jump) jump {
	if j == leaves {
		return goesOn
	}
	return j
}

// A round is one pass through the body of a loop. It reports false at the end of the loop.
type round func(s *state, i int) bool

// rounds reads the rounds of a loop. If they make calls, and take no results of calls before
// the loop, each is a sequence of its own.
func (r *reader) rounds(s *state, f *frame, body *ast.BlockStmt, next round) jump {
	trial := s.fork()
	if !next(trial, 0) {
		return goesOn
	}
	r.exec(trial, f, body.List)
	if len(trial.draft.Steps) > trial.from && !reaches(trial.draft.Steps, r.table, trial.from) {
		r.emit(trial.draft.Steps, trial.from)
		for i := 1; i < maxRows; i++ {
			sub := s.fork()
			if r.visits--; r.visits < 0 || !next(sub, i) {
				break
			}
			r.exec(sub, f, body.List)
			r.emit(sub.draft.Steps, sub.from)
		}
		r.forget(s, body)
		return goesOn
	}
	for i := 0; i < maxIterations && r.visits > 0 && next(s, i); i++ {
		r.visits--
		switch r.exec(s, f, body.List) {
		case leaves:
			return goesOn
		case returns:
			return returns
		}
	}
	return goesOn
}

// reaches reports whether a step from step from on takes a result of an earlier one.
func reaches(steps seq.Sequence, t *seq.Table, from int) bool {
	before := int32(steps[:from].Slots(t))
	for _, st := range steps[from:] {
		for _, a := range st.Args {
			if a.Lit == nil && a.Slot < before {
				return true
			}
		}
	}
	return false
}

// loop reads a for statement. A condition that is not known holds for one round.
func (r *reader) loop(s *state, f *frame, st *ast.ForStmt) jump {
	if st.Init != nil {
		r.statement(s, f, st.Init)
	}
	return r.rounds(s, f, st.Body, r.counted(f, st))
}

// counted returns the rounds of a for statement. A state that is asked for round i has had
// all before it, or none: the counter is brought up to date.
func (r *reader) counted(f *frame, st *ast.ForStmt) round {
	done := map[*state]int{}
	return func(s *state, i int) bool {
		for ; done[s] < i; done[s]++ {
			if st.Post == nil {
				return false
			}
			r.statement(s, f, st.Post)
		}
		if st.Cond == nil {
			return i == 0
		}
		cond := r.eval(s, f, st.Cond)
		if cond.kind != constval || cond.con.Kind() != constant.Bool {
			return i == 0
		}
		return constant.BoolVal(cond.con)
	}
}

// rangeLoop reads a range statement over a composite, a number or a string.
func (r *reader) rangeLoop(s *state, f *frame, st *ast.RangeStmt) jump {
	x := r.eval(s, f, st.X)
	set := func(s *state, key, val value) {
		if st.Key != nil {
			r.store(s, f, st.Key, key)
		}
		if st.Value != nil {
			r.store(s, f, st.Value, val)
		}
	}
	integer := func(i int) value { return constOf(constant.MakeInt64(int64(i)), types.Typ[types.Int]) }
	switch {
	case (x.kind == literal || x.kind == address) && !x.lit.isText && !s.gone[x.lit]:
		c := s.now(x.lit)
		return r.rounds(s, f, st.Body, func(s *state, i int) bool {
			if i >= len(c.elems) {
				return false
			}
			key := integer(i)
			if c.keys != nil {
				key = c.keys[i]
			}
			set(s, key, c.elems[i])
			return true
		})
	case x.kind == constval && x.con.Kind() == constant.Int:
		n, _ := constant.Int64Val(x.con)
		return r.rounds(s, f, st.Body, func(s *state, i int) bool {
			set(s, constOf(constant.MakeInt64(int64(i)), x.typ), value{})
			return int64(i) < n
		})
	case x.kind == constval && x.con.Kind() == constant.String:
		runes := []rune(constant.StringVal(x.con))
		return r.rounds(s, f, st.Body, func(s *state, i int) bool {
			if i < len(runes) {
				set(s, integer(i), constOf(constant.MakeInt64(int64(runes[i])), types.Typ[types.Rune]))
			}
			return i < len(runes)
		})
	}
	r.forget(s, st.Body)
	return goesOn
}
