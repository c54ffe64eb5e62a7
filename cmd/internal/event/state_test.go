package event

import (
	"reflect"
	"testing"

	"foray.test/coverage/report"
	"foray.test/engine/seq"
)

// The table leaves out the sides that were taken; -v shows them.
func TestReport(t *testing.T) {
	state := &report.State{Runs: 1, Sequences: 20, Conditions: []report.Condition{
		{ID: "a", File: "q.go", Line: 7, Func: "Put", Text: "n > 0", Sides: []report.Side{{Name: "true", Taken: true}, {Name: "false", Status: "tried", Edit: "int", Runs: 3}}},
		{ID: "c", File: "q.go", Line: 9, Func: "Put", Text: "n > 9", Sides: []report.Side{{Name: "true", Taken: true, Status: "flipped", Edit: "int", Runs: 5}}},
		{ID: "b", File: "q.go", Line: 12, Func: "(*Q).Get", Text: "q == nil", Sides: []report.Side{{Name: "true"}}},
	}}
	e := NewReport("m.test/q", state, nil)
	const head = "place    function  condition  side    status     edit  runs\n"
	const tried = "Put       n > 0      →false  tried      int   3\n"
	const last = "m.test/q: 2 of 4 branch sides taken (50.0%), 1 on the frontier, 1 unreached; 1 run, 20 sequences\n\n"
	const short = "place   function  condition  side    status  edit  runs\n" + "q.go:7  Put       n > 0      →false  tried   int   3\n" +
		"1 function unreached: q.go:12 (*Q).Get\n" + last
	if got, _ := printed(Options{}, e); got != short {
		t.Errorf("got\n%swant\n%s", got, short)
	}
	const verbose = head + "q.go:7   Put       n > 0      →true   taken            0\nq.go:7   " + tried +
		"q.go:9   Put       n > 9      →true   flipped    int   5\n" + "q.go:12  (*Q).Get  q == nil   →true   unreached        0\n" + last
	if got, _ := printed(Options{Verbose: true}, e); got != verbose {
		t.Errorf("with -v: got\n%swant\n%s", got, verbose)
	}
	const none = "m.test/q: no branches; 1 run, 20 sequences\n\n"
	if got, _ := printed(Options{}, NewReport("m.test/q", &report.State{Runs: 1, Sequences: 20}, nil)); got != none {
		t.Errorf("without conditions: got\n%swant\n%s", got, none)
	}
	want := `{"schema":1,"event":"report","package":"m.test/q","runs":1,"sequences":20,"conditions":3,"sides":4,"sides_covered":2,"frontier":1,"unreached":1,` +
		`"functions":[{"name":"Put","sides":3,"covered":2},{"name":"(*Q).Get","sides":1,"covered":0}],"changed":[]}` + "\n"
	if got := string(encode(e)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestDecisions(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		e    Decisions
		want string
	}{
		{"use", Options{}, Decisions{Operation: "F", Decisions: []string{"a"}, Use: []string{"b", "c"}}, "F\n    a\n    b\n    c\n\n"},
		{"brief use", Options{}, Decisions{Operation: "F", Use: []string{"b", "c"}, Brief: true}, "F\n    b\n\n"},
		{"nothing to tell", Options{}, Decisions{Operation: "F"}, ""},
		{"verbose", Options{Verbose: true}, Decisions{Operation: "F", Calls: []report.Calls{{End: EndReturned, Sequences: 12}}}, "F\n        12 returned\n\n"},
		{"a failure", Options{}, Decisions{Operation: "F", Calls: []report.Calls{{End: EndReturned, Sequences: 12}, {End: EndFailed, Reason: "50%", Sequences: 1}}}, "F\n        12 returned\n         1 failed: 50%\n\n"},
	} {
		if got, _ := printed(tt.o, &tt.e); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// Each fact about an operation is a sentence.
func TestDecisionsOfFacts(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(op *seq.Operation)
		want []string
	}{
		{"nothing", func(*seq.Operation) {}, []string{}},
		{"guard", func(op *seq.Operation) { op.Pre = seq.Precondition{Panics: true, Guard: true, Sentence: "if x"} }, []string{"guard: if x: that panic is illegal"}},
		{"message", func(op *seq.Operation) { op.Pre.Messages = []string{"full"} }, []string{`it panics by itself, with "full": such a panic is illegal`}},
		{"receiver not nil", func(op *seq.Operation) { op.Pre.NilOK = []bool{false} }, []string{}},
		{"receiver", func(op *seq.Operation) { op.Pre.NilOK, op.Names = []bool{true}, []string{"q"} }, []string{"nil for q is dealt with"}},
		{"requires", func(op *seq.Operation) { op.Requires = []seq.OpID{0} }, []string{"New of the tests: a call that it does not allow is illegal"}},
		{"callback", func(op *seq.Operation) { op.Callback = true }, []string{"any caller may hold its receiver, also a zero value: no panic is excused by that"}},
		{"zero", func(op *seq.Operation) { op.Zero = true }, []string{"it is the zero value of a type that has a constructor: failures with it are illegal"}},
		{"forwards", func(op *seq.Operation) { op.Forwards = "Get" }, []string{"it hands its arguments on to Get"}},
	} {
		table := queue()
		op := &table.Ops[1]
		op.Pre.Sentence = ""
		tt.set(op)
		if got := DecisionsOf(table, op); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSignature(t *testing.T) {
	for _, tt := range []struct {
		op   seq.Operation
		want string
	}{
		{seq.Operation{Short: "F"}, "F()"},
		{seq.Operation{Short: "F", Params: []seq.TypeID{2, 1}, Results: []seq.TypeID{2}}, "F(int, *q.Q) int"},
		{seq.Operation{Short: "F", Params: []seq.TypeID{1, 2}, Results: []seq.TypeID{1, 2}, Variadic: true}, "F(*q.Q, ...int) (*q.Q, int)"},
		{seq.Operation{Short: "(*Q).M", Kind: seq.Method, Params: []seq.TypeID{1}, Variadic: true}, "(*Q).M()"},
	} {
		if got := Signature(queue(), &tt.op); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestListingVerbose(t *testing.T) {
	table := queue()
	table.Ops = append(table.Ops, seq.Operation{Short: "check", Kind: seq.Check, Member: "check"}, seq.Operation{Short: "list.New", Kind: seq.Func, Results: []seq.TypeID{2}})
	const want = `package m.test/q

calls:
  New() *q.Q
  (*Q).Put(int)   // Put panics if q is full.

calls of other packages, as tests make them:
  list.New() int

operations that only make values:
  &q.Q{}

types and what makes them:
  *q.Q  New, &q.Q{}
  int   list.New

`
	if got, _ := printed(Options{Verbose: true}, &Listing{Package: "m.test/q", Table: table}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const op = `{"schema":1,"event":"operation","package":"m.test/q","operation":"(*Q).Put","name":"(*m.test/q.Q).Put func(int)","call":true,"member":"(*Q).Put","text":"$0.Put($1)",` +
		`"params":["*q.Q","int"],"results":[],"precondition":"Put panics if q is full."}` + "\n"
	if got := string(encode((&Listing{Package: "m.test/q", Table: table}).before()[1])); got != op {
		t.Errorf("got  %swant %s", got, op)
	}
}
