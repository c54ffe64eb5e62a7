package harness

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// A till holds coins. Take is wrong by one if it is to take three.
type till struct{ n int }

func newTill() *till             { return &till{} }
func (c *till) Put(coins ...int) { c.n += len(coins) }

func (c *till) Take(n int) int {
	if c.n -= n; n == 3 {
		c.n++
	}
	return n
}

func tills(contracts ...Contract) API {
	return API{Operations: []any{newTill, (*till).Put, (*till).Take}, Contracts: contracts}
}

var noMore = Contract{Name: "no more", Doc: "than there is", Call: (*till).Take, Requires: func(c *till, n int) bool { return n >= 0 && n <= c.n }}

// A sequence is illegal if the test does not allow its last call. It is an error if
// the call breaks the test's postcondition.
func TestConditions(t *testing.T) {
	in := mustInterpreter(t, mustSurface(t, tills(noMore,
		Contract{Name: "pairs", Call: (*till).Put, Requires: func(c *till, coins ...int) error {
			if len(coins) == 1 {
				return errors.New("one is none")
			}
			return nil
		}},
		Contract{Name: "sum", Call: (*till).Put, Ensures: func(c *till, coins []int) bool { return len(coins) < 4 }},
		Contract{Name: "odd", Call: (*till).Take, Ensures: func(c *till, n, took int) error {
			if took == 3 {
				return errors.New("three")
			}
			return nil
		}},
		Contract{Name: "shaky", Call: (*till).Take, Requires: func(c *till, n int) bool { return []int{0, 0, 0, 0, 0}[n] == 0 }},
	)), Limits{})
	for _, tt := range []struct {
		in, want string
		tier     engine.Tier
	}{
		{"v0 := harness.newTill(); v0.Put(1, 2); v1 := v0.Take(2)", "", 0},
		{"v0 := harness.newTill(); v1 := v0.Take(1); v2 := v0.Take(1)", "contract no more of the tests does not allow it: than there is", engine.Illegal},
		{"v0 := harness.newTill(); v0.Put(1); v0.Put()", "contract pairs of the tests does not allow it", engine.Illegal},
		{"v0 := harness.newTill(); v0.Put(1, 2, 3, 4)", "contract sum does not hold: it returns false", engine.Error},
		{"v0 := harness.newTill(); v0.Put(1, 2, 3); v1 := v0.Take(3); v0.Put()", "contract odd does not hold: three", engine.Error},
		{"v0 := harness.newTill(); v0.Put(1, 2, 3); v0.Put(1, 2, 3); v1 := v0.Take(5)", "contract shaky panics: runtime error: index out of range [5] with length 5", engine.Suspect},
	} {
		for range 2 { // an input has one verdict
			res := in.run(tt.in)
			got, tier := "", engine.Tier(0)
			if v := res.verdict; v != nil {
				if got, tier = v.Message, v.Tier; got == "" {
					got = v.Reason
				}
			}
			if got != tt.want || tier != tt.tier {
				t.Errorf("%s: %s %q, want %s %q", tt.in, tier, got, tt.tier, tt.want)
			}
		}
	}
}

// Sequences are composed of calls that are allowed, and do not end where one is not.
func TestComposeAllowed(t *testing.T) {
	s := mustSurface(t, tills(noMore))
	in := mustInterpreter(t, s, Limits{})
	x := in.runner.exec
	r := rand.New(rand.NewPCG(1, 2))
	takes, length := 0, 0
	for range 200 {
		b := make([]byte, 256)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		b[0] |= 0x80
		steps := in.runner.composer.Compose(choices(string(b))).Clone()
		length += len(steps)
		if got := in.runner.running(); len(got) != len(steps) {
			t.Fatalf("%d steps are noted of %d", len(got), len(steps))
		}
		for i := range steps {
			if strings.HasSuffix(s.table.Ops[steps[i].Op].Short, "Take") {
				takes++
			}
		}
		if out, ran := engine.Execute(x, s.table, steps, engine.RunOptions{}); ran != len(steps) || out.Verdict != nil && out.Verdict.Tier == engine.Illegal {
			t.Fatalf("%s\nends after %d steps: %+v", s.table.String(steps), ran, out.Verdict)
		}
	}
	if takes < 100 || length < 200*20 {
		t.Errorf("%d calls of Take in 200 sequences of %d steps in all", takes, length)
	}
}

// The journal and the steps are as if a call that was refused had never been tried.
func TestRefusedLeavesNothing(t *testing.T) {
	s := mustSurface(t, tills(noMore))
	shared := wire.SharedOf(make([]byte, wire.SharedBytes))
	x := executor.New(s.table, s.bindings, shared, executor.Options{})
	steps := mustParse(t, s.table, "v0 := harness.newTill(); v0.Put(1); v1 := v0.Take(9); v2 := v0.Take(1)")
	for i := range steps {
		for _, a := range steps[i].Args {
			if a.Lit != nil {
				x.Box(a.Lit)
			}
		}
	}
	x.Begin(engine.RunOptions{})
	want := seq.AppendStep(nil, steps[0])
	for i, status := range []engine.Status{engine.Normal, engine.Normal, engine.Refused, engine.Normal} {
		out := x.Append(steps[i])
		if out.Status != status {
			t.Fatalf("step %d: status %d, want %d", i+1, out.Status, status)
		}
		if status == engine.Refused {
			if s.table.Ops[out.RefusedBy].Short != "contract no more" {
				t.Errorf("refused by %s", s.table.Ops[out.RefusedBy].Short)
			}
		} else if i > 0 {
			want = seq.AppendStep(want, steps[i])
		}
		if got := shared.Running(); string(got) != string(want) {
			t.Errorf("step %d: the journal has %q, want %q", i+1, got, want)
		}
	}
	for _, d := range x.Digests() {
		if d.Step > 2 {
			t.Errorf("slot %d was touched by step %d, of three", d.Slot, d.Step+1)
		}
	}
	s2 := append(steps[:2:2], steps[3])
	if out := x.End(s2, nil); out.Verdict != nil {
		t.Errorf("verdict %+v", out.Verdict)
	}
}

// A wrong condition is refused, with the expected form.
func TestWrongConditions(t *testing.T) {
	takes := func(c *till, n int) bool { return true }
	for _, tt := range []struct {
		c    Contract
		want string
	}{
		{Contract{Call: (*till).Take, Requires: takes}, `contract "": want a Name`},
		{Contract{Name: "c", Requires: takes}, `contract "c": its Call is a <nil>, want a function`},
		{Contract{Name: "c", Call: (*till).Take}, `contract "c": want Requires or Ensures`},
		{Contract{Name: "c", Call: (*till).Take, Holds: takes}, `contract "c": want Holds, or Call with Requires or Ensures, not both`},
		{Contract{Name: "c", Call: takes, Requires: takes}, `contract "c": its Call is not an operation; there are newTill, (*till).Put, (*till).Take`},
		{Contract{Name: "c", Call: (*till).Take, Requires: 3}, `contract "c": Requires is a int, want func(*harness.till, int) bool, or error`},
		{Contract{Name: "c", Call: (*till).Take, Ensures: takes}, `contract "c": Ensures is a func(*harness.till, int) bool, want func(*harness.till, int, int) bool, or error`},
	} {
		_, err := newSurface(tills(tt.c))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.c, err, tt.want)
		}
	}
}

func mustParse(t *testing.T, table *seq.Table, text string) seq.Sequence {
	t.Helper()
	s, err := table.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
