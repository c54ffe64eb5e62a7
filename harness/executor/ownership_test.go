package executor

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
	"foray.test/harness/digest"
)

// A call that returns while Revoke decides waits for the decision. It ends its
// goroutine if the ownership was revoked.
func TestAwait(t *testing.T) {
	for _, over := range []bool{false, true} {
		for name, call := range map[string]Adapter{
			"returns": func(in, out []any) {},
			"panics":  func(in, out []any) { panic("late") },
		} {
			x := newFixture(t, 1, 1, fixtureParams).exec
			x.owner.ended = func([]byte) { t.Error("taken for a call that ends its goroutine") }
			x.owner.mu.Lock()
			x.owner.revoking.Store(true)
			returned := false
			done := make(chan struct{})
			go func() {
				defer close(done)
				x.call(call, nil, nil)
				returned = true
			}()
			x.owner.revoked = over
			x.owner.revoking.Store(over)
			x.owner.mu.Unlock()
			<-done
			if returned == over {
				t.Errorf("%s: revoked: %v, returned: %v", name, over, returned)
			}
		}
	}
}

// A call that ends its goroutine ends the ownership; its stack is reported.
func TestGoexit(t *testing.T) {
	x := newFixture(t, 1, 1, fixtureParams).exec
	var stack string
	x.owner.ended = func(b []byte) { stack = string(b) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.call(func(in, out []any) { new(thrower).unwind() }, nil, nil)
		t.Error("the call returned")
	}()
	<-done
	if !x.owner.revoked || !strings.HasPrefix(stack, "goroutine ") {
		t.Fatalf("over: %v, stack %q", x.owner.revoked, stack)
	}
	lines := strings.Split(stack, "\n")
	if !strings.HasPrefix(lines[1], "runtime.Goexit(") || !strings.Contains(lines[3], ".(*thrower).unwind(") {
		t.Errorf("stack %s", stack)
	}
}

//go:noinline
func (t *thrower) unwind() { runtime.Goexit() }

// A successor knows all that its predecessor learned, and has no state of its runs.
func TestSuccessor(t *testing.T) {
	f := newFixture(t, int(opZero), 1, fixtureParams)
	f.engine.Run(100)
	x := f.exec
	next := x.Successor()
	if next.learned != x.learned || next.judge.rules != x.judge.rules || next.judge.x != next {
		t.Error("the successor has learned something else")
	}
	for _, state := range []any{next.run, next.judge.trial} {
		v := reflect.ValueOf(state)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				t.Errorf("a fresh %T has %s", state, v.Type().Field(i).Name)
			}
		}
	}
	next.Own(nil)
	f.engine.Abandon(next, next.Taken(), engine.Stalled)
	f.engine.Run(100)
	if c := f.engine.Counts(); c.Sequences != 200 || c.Abandoned != 1 {
		t.Errorf("%+v, want 200 sequences and one abandoned", c)
	}
}

// A call that returns after its goroutine was abandoned changes nothing that the next
// run can see, wherever it was made.
func TestAbandonedGoroutineWritesNothing(t *testing.T) {
	late := func(in, out []any) {
		for i := range out {
			out[i] = "late"
		}
	}
	for _, tt := range []struct {
		name string
		// set has x make the call somewhere in a run of New, Get.
		set func(x *Executor, call Adapter)
		// ends is how the call ends.
		ends Adapter
	}{
		{"step returns", setStep, late},
		{"step panics", setStep, func(_, _ []any) { panic("late") }},
		{"step ends its goroutine", setStep, func(_, _ []any) { runtime.Goexit() }},
		{"requirement returns", setRequirement, late},
		{"requirement panics", setRequirement, func(_, _ []any) { panic("late") }},
		{"contract returns", setContract, late},
		{"contract panics", setContract, func(_, _ []any) { panic("late") }},
		{"law returns", setLaw, late},
		{"model returns", setModel, late},
		{"model panics", setModel, func(_, _ []any) { panic("late") }},
		{"text of a panic returns", setText, late},
		{"contract's own call returns", setOwnContract, late},
		{"law's own call returns", setOwnLaw, late},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, int(opGet)+1, 1, fixtureParams)
			x := f.exec
			s := seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}}
			entered, gate, done := make(chan bool), make(chan bool), make(chan bool)
			first := true
			tt.set(x, func(in, out []any) {
				probe.Hits[3]++
				if first {
					first = false
					close(entered)
					<-gate
					tt.ends(in, out)
				}
			})
			owned := make(chan *Ownership, 1)
			go func() {
				defer close(done)
				owned <- x.Own(func([]byte) { t.Error("taken for a call that ends its goroutine") })
				engine.Execute(x, f.table, s, engine.RunOptions{})
				t.Error("the goroutine goes on")
			}()
			<-entered
			if o := <-owned; !o.Revoke(func() bool { return true }) {
				t.Fatal("not revoked")
			}
			next := x.Successor()
			next.Own(nil)
			engine.Execute(next, f.table, s, engine.RunOptions{})
			probe.Hits[5]++ // a side that this run takes
			before := seen(next)
			close(gate)
			<-done
			if after := seen(next); after != before {
				t.Errorf("hashes %x before the late call, %x after", before, after)
			}
		})
	}
}

func setStep(x *Executor, call Adapter) { x.ops[opGet].adapter = call }

func setRequirement(x *Executor, call Adapter) {
	x.ops[opGet].requires = []requirement{{opGet, call}}
}

// setContract replaces Put, which contracts alone call here.
func setContract(x *Executor, call Adapter) {
	x.ops[opPut].adapter = call
	*x.judge.rules = *newRules(x.table, []contract.Contract{{
		Name: "test", Arity: 1, Type: typeTree, Op: opPut, Claim: engine.ClaimPromise,
		Holds: func(c contract.Caller, v []any) (bool, string) {
			_, _ = c.Call(opPut, v[0], 1, 1)
			return true, ""
		},
	}}, nil)
}

func setLaw(x *Executor, call Adapter) {
	x.ops[opPut].adapter = call
	*x.judge.rules = *lawRules(x.table, contract.Law{
		Name: "test", On: opGet, Op: opGet, Claim: engine.ClaimPromise,
		Check: func(c *contract.Call, _ any) *contract.Breach {
			c.Call(opPut, c.Args[0], 1, 1)
			return nil
		},
	})
}

func setModel(x *Executor, call Adapter) {
	own := make([]bool, len(x.table.Types))
	own[typeTree] = true
	x.bindings.Model = &Model{Ops: []Adapter{x.bindings.Ops[opNew], nil, call}, Own: own}
	x.model = newModel(x.table, x.bindings)
}

// setText has the text of a panic make the call.
func setText(x *Executor, call Adapter) {
	x.ops[opGet].adapter = func(_, _ []any) { panic(slowText{call}) }
}

type slowText struct{ call Adapter }

func (s slowText) Error() string {
	s.call(nil, nil)
	return "slow"
}

// setOwnContract has a contract make the call as fmt.Sprint calls a String method.
func setOwnContract(x *Executor, call Adapter) {
	*x.judge.rules = *newRules(x.table, []contract.Contract{{
		Name: "test", Arity: 1, Type: typeTree, Op: opPut, Claim: engine.ClaimPromise,
		Holds: func(c contract.Caller, v []any) (bool, string) {
			call(nil, nil)
			return true, ""
		},
	}}, nil)
}

func setOwnLaw(x *Executor, call Adapter) {
	*x.judge.rules = *lawRules(x.table, contract.Law{
		Name: "test", On: opGet, Op: opGet, Claim: engine.ClaimPromise,
		Check: func(c *contract.Call, _ any) *contract.Breach {
			call(nil, nil)
			return nil
		},
	})
}

// seen returns hashes of all that a run of x can see, one for each kind.
func seen(x *Executor) [5]uint64 {
	d := digest.New(digest.Limits{MaxNodes: 1 << 20, MaxBytes: 1 << 24})
	l := *x.learned
	l.digester = nil // its buffers
	s := x.journal.shared
	var hashes [5]uint64
	for i, v := range []any{&l, x.run, x.judge.trial, probe.Hits[:64], []any{s.Running(), s.Earlier(), s.Steps.Load(), s.Sequences.Load(), s.Oracle.Load()}} {
		hashes[i] = d.Sum(v).Hash
	}
	return hashes
}

var fixtureParams = engine.Params{}
