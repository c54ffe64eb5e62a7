package coordinator

import (
	"slices"
	"testing"

	"foray.test/engine/seq"
)

func TestMemberOf(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"github.com/robfig/cron/v3.(*Cron).Start", "(*Cron).Start"},
		{"github.com/samber/lo.Async2[...].func1", "Async2"},
		{"example.org/p.(*T[...]).M.func1.2", "(*T).M"},
		{"p.T.M", "T"},
		{"main.main", "main"},
	} {
		if got := memberOf(tt.in); got != tt.want {
			t.Errorf("memberOf(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestStarters(t *testing.T) {
	const dump = `panic: boom

goroutine 19 [running]:
example.org/p.work()
	/x/p.go:7 +0x1d
created by example.org/p.(*Pool[...]).Start in goroutine 7
	/x/p.go:5 +0x2b

goroutine 7 [select]:
created by main.main in goroutine 1
`
	if got, want := starters(dump), []string{"(*Pool).Start"}; !slices.Equal(got, want) {
		t.Errorf("starters: got %q, want %q", got, want)
	}
	if got := starters("exit status 3"); got != nil {
		t.Errorf("starters of no dump: got %q", got)
	}
}

// TestNeeded: an operation is needed if nothing else that its package is prepared
// for makes what others take.
func TestNeeded(t *testing.T) {
	const (
		newT seq.OpID = iota
		use
	)
	table := func(more ...seq.Operation) *seq.Table {
		return &seq.Table{
			Types: []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{1}}, {Name: "int", Literal: seq.Int, Bits: 64, Assignable: []seq.TypeID{2}}},
			Ops: append([]seq.Operation{
				{Name: "New", Member: "New", API: true, Results: []seq.TypeID{1}},
				{Name: "Use", Member: "(*T).Use", Kind: seq.Method, API: true, Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
				{Name: "&T{}", Kind: seq.Composite, Zero: true, Results: []seq.TypeID{1}},
			}, more...),
		}
	}
	for _, tt := range []struct {
		name  string
		table *seq.Table
		op    seq.OpID
		want  bool
	}{
		{"the constructor", table(), newT, true},
		{"what makes a number", table(), use, false},
		{"with another constructor", table(seq.Operation{Name: "Open", Member: "Open", API: true, Results: []seq.TypeID{1}}), newT, false},
		{"with another instance", table(seq.Operation{Name: "New[int]", Member: "New", API: true, Results: []seq.TypeID{1}}), newT, true},
	} {
		r := &run{config: Config{Table: tt.table}}
		if got := r.needed(tt.op); got != tt.want {
			t.Errorf("%s: needed %v, want %v", tt.name, got, tt.want)
		}
	}
}
