// Package odds estimates how likely a finding is a bug. It looks at the claim of the finding, at its
// minimized calls, at the function that fails, and at how near the tests of the package come to them.
// The weights are those of a ridge logistic regression on the findings that people have judged, in
// docs/bench/labels.tsv.
package odds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine"
)

// A Finding is all that its odds depend on.
type Finding struct {
	Claim engine.Claim
	Calls string           // minimized, as Go statements
	At    engine.Signature // it says where they fail
	Near  string           // how near tests come to the last call: a name of package usage, or empty
}

// Likely is the probability of a bug from which a finding is told as one. With the labels of a module
// left out, four of five findings from there on are bugs, and three of four from 0.5 on.
const Likely = 0.55

// Of returns the estimated probability that f is a bug.
func Of(f Finding) float64 { return Logistic(weights, Features(f)) }

// Logistic returns the probability of a finding with these features, by weights.
func Logistic(weights map[string]float64, features []string) float64 {
	sum := 0.0
	for _, name := range features {
		sum += weights[name]
	}
	return 1 / (1 + math.Exp(-sum))
}

// Names of features, beside those of claims and of how near tests come.
const (
	Bias      = "bias"            // each finding has it
	TakesText = "takes text"      // the last call is given a literal text
	NoText    = "no text"         // no call is
	BareCrash = "crash, no text"  // the same, of the claim crash
	ShortText = "short text"      // the longest text has one byte at most
	Several   = "several calls"   // four statements or more
	Nil       = "nil"             // is given
	Negative  = "negative number" // is given
	Converted = "converted number"
	Variable  = "variable"               // of a package is read
	Bounds    = "refusal, out of bounds" // an index or a slice, of the claim refusal
	Inside    = "inside"                 // a run-time error in a function that is not exported
)

// Features returns the names of the features of f, each of which has a weight.
func Features(f Finding) []string {
	list := []string{Bias, "claim " + string(f.Claim)}
	if f.Near != "" {
		list = append(list, "tests "+f.Near)
	}
	add := func(name string, has bool) {
		if has {
			list = append(list, name)
		}
	}
	add(Bounds, f.Claim == engine.ClaimRefusal && f.At.OutOfBounds())
	add(Inside, inside(f.At))
	body := statements(f.Calls)
	if len(body) == 0 {
		return list
	}
	c, last := look(body...), look(body[len(body)-1])
	add(TakesText, last.texts > 0)
	add(NoText, c.texts == 0)
	add(BareCrash, c.texts == 0 && f.Claim == engine.ClaimCrash)
	add(ShortText, c.texts > 0 && c.longest <= 1)
	add(Several, len(body) >= 4)
	add(Nil, c.nils > 0)
	add(Negative, c.negative > 0)
	add(Converted, c.converted > 0)
	add(Variable, c.variables > 0)
	return list
}

// inside reports whether a run-time error is in a function of its package that is not exported. A func
// literal is a part of the function that it stands in. A panic call there is a check mostly.
func inside(at engine.Signature) bool {
	if at.Kind != engine.KindPanic || at.Class == engine.ClassExplicit {
		return false
	}
	name := strings.TrimSuffix(literal.ReplaceAllString(at.Where, ""), "[...]")
	name = name[strings.LastIndexByte(name, '.')+1:]
	return name != "" && !ast.IsExported(name)
}

// literal matches the ends of names of func literals, and of functions that the compiler writes.
var literal = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+)+$`)

// statements parses calls. It returns none that cannot be parsed.
func statements(calls string) []ast.Stmt {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+calls+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return file.Decls[0].(*ast.FuncDecl).Body.List
}

// counts are of expressions that statements have.
type counts struct {
	texts, longest, nils, negative, converted, variables int
}

// slot matches the names of results.
var slot = regexp.MustCompile(`^v\d+[a-z]?$`)

// look counts the expressions of statements.
func look(list ...ast.Stmt) (c counts) {
	for _, st := range list {
		if as, ok := st.(*ast.AssignStmt); ok && ofPackage(as.Rhs[0]) {
			c.variables++
		}
		ast.Inspect(st, c.expression)
	}
	return c
}

// expression counts an expression and tells whether to look into it.
func (c *counts) expression(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, _ := strconv.Unquote(x.Value)
			c.texts, c.longest = c.texts+1, max(c.longest, len(text))
		}
	case *ast.Ident:
		if x.Name == "nil" {
			c.nils++
		}
	case *ast.FuncLit:
		return false
	case *ast.CompositeLit: // not its type, which may have texts: tags of fields
		for _, e := range x.Elts {
			ast.Inspect(e, c.expression)
		}
		return false
	case *ast.UnaryExpr:
		if _, literal := x.X.(*ast.BasicLit); literal && x.Op == token.SUB {
			c.negative++
		}
	case *ast.CallExpr:
		return c.call(x)
	}
	return true
}

// call counts a call and its operands.
func (c *counts) call(x *ast.CallExpr) bool {
	switch fun := x.Fun.(type) {
	case *ast.FuncLit: // called at once: the address of a value, a context
		for _, a := range x.Args {
			ast.Inspect(a, c.expression)
		}
		return false
	case *ast.SelectorExpr:
		c.operand(fun.X)
	}
	for _, a := range x.Args {
		c.operand(a)
	}
	return true
}

// operand counts a number that is converted to a type with a name, or made into a value, in one
// statement with a call of that value.
func (c *counts) operand(x ast.Expr) {
	call, ok := x.(*ast.CallExpr)
	if !ok || !ofPackage(call.Fun) || len(call.Args) != 1 {
		return
	}
	arg := call.Args[0]
	if minus, ok := arg.(*ast.UnaryExpr); ok {
		arg = minus.X
	}
	if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.INT {
		c.converted++
	}
}

// ofPackage reports whether x is a name of another package.
func ofPackage(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && !slot.MatchString(id.Name)
}
