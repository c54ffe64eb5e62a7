package emit

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

const sizesSource = `package sizes

var Level int

type Size struct{ W, H int }

type Box struct{ Size }

func New() *Box { return &Box{} }

func (b *Box) Put(n int) { b.W += n }

func Square(n int) (Size, error) { return Size{n, n}, nil }
`

func sizesAPI(path, name string) *api {
	a := newAPI(path, name)
	a.typ(seq.Type{Name: "error", Interface: true, Form: seq.Form{Base: "error"}})
	a.op(seq.Func, name+".New()", "New", "-> *"+name+".Box")
	a.op(seq.Method, "$0.Put($1)", "(*Box).Put", "*"+name+".Box, int ->")
	a.op(seq.Func, name+".Square($0)", "Square", "int -> "+name+".Size, error")
	a.op(seq.VarSet, name+".Level = $0", "Level", "int ->").Vars = []string{name + ".Level"}
	for i := range a.Ops {
		a.Ops[i].API = a.Ops[i].Kind == seq.Func || a.Ops[i].Kind == seq.Method
	}
	return a
}

// No variable of a test hides the package under test, whatever the name of that is.
func TestNoVariableHidesThePackage(t *testing.T) {
	for _, name := range []string{"sizes", "old", "before", "left", "goroutines", "holds", "cmd", "tt", "got", "err"} {
		for _, path := range []string{"example.com/" + name, name} {
			a := sizesAPI(path, name)
			from := newBesideStandard(t, path, strings.Replace(sizesSource, "package sizes", "package "+name, 1))
			text := func(s string) string { return strings.ReplaceAll(s, "sizes.", name+".") }
			steps := text("sizes.Level = 1; v0 := sizes.New(); v0.Put(1); v1, v1b := sizes.Square(2)")
			contract := a.finding(t, engine.KindContract, steps)
			v := &contract.Verdict
			v.Contract, v.Slots, v.Before, v.Assert = "same", []int32{0, 1}, "$0.Size", a.VariableName("before")+" == "+text("sizes.Size{W: 1}")+" && $1 == $0.Size"
			leak := a.finding(t, engine.KindLeak, steps)
			leak.Verdict.Stack = path + ".New.func1\n\t/p/lib.go:30\n"
			race := a.finding(t, engine.KindRace, steps)
			race.Verdict.Fork = 2
			src, err := File(a.Table, []Finding{a.finding(t, engine.KindPanic, steps), contract, leak, race, a.finding(t, engine.KindMemory, steps), a.finding(t, engine.KindHang, steps)})
			if err == nil {
				err = typeError(src, from)
			}
			if err != nil {
				t.Errorf("package %s: findings: %v in\n%s", path, err, src)
			}
			rows := "sizes.Level = 1\nv0, v0b := sizes.Square(#)\tequal=sizes.Size{W: #, H: #}; nil\nv1 := sizes.New()\n+v1.Put(3)\nv2, v2b := sizes.Square(4)\tdeep=sizes.Size{W: 4, H: 4}; nil"
			var tests []Regression
			for _, n := range []string{"1", "2"} {
				tests = append(tests, Regression{Test: a.recorded(t, strings.ReplaceAll(text(rows), "#", n))})
			}
			used := a.recorded(t, text("v0, v0b := sizes.Square(1)\tequal=sizes.Size{W: 1, H: 1}; nil\nv1, v1b := sizes.Square(2)\tnotnil; same"))
			used.Asserts[1][0], used.Asserts[1][1].Slot = regression.Result{}, 1
			tests = append(tests, Regression{Test: used})
			src, _, err = Regressions(a.Table, tests, RegressionOptions{})
			if err == nil {
				err = typeError(src, from)
			}
			if err != nil {
				t.Errorf("package %s: regressions: %v in\n%s", path, err, src)
			}
		}
	}
}
