package coordinator

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// Findings that there was no time to confirm are left for the next run, those of higher tiers first,
// unless they are reported with their tier or a higher one.
func TestLeave(t *testing.T) {
	f := newFindings(nil)
	pend := func(tier engine.Tier, name string) {
		v := engine.Verdict{Tier: tier, Signature: engine.ParseSignature("panic:index:" + name)}
		f.pending[v.DedupKey()] = engine.Finding{Verdict: v, Steps: make(seq.Sequence, len(name))}
	}
	pend(engine.Suspect, "a")
	pend(engine.Error, "bb")
	pend(engine.Panic, "reported")
	f.tiers[engine.ParseSignature("panic:index:reported")] = engine.Error
	pend(engine.Panic, "surer")
	f.tiers[engine.ParseSignature("panic:index:surer")] = engine.Suspect
	f.leave()
	list, late := f.leftSequences()
	var got []int
	for _, steps := range list {
		got = append(got, len(steps))
	}
	if want := []int{2, 5, 1}; !slices.Equal(got, want) || late != 0 || len(f.pending) > 0 {
		t.Errorf("left: %v, %d of them reported, %d pending; want %v", got, late, len(f.pending), want)
	}
	if got, want := f.undecided(), [engine.Tiers]int{engine.Suspect: 1, engine.Panic: 1, engine.Error: 1}; got != want {
		t.Errorf("undecided: %v, want %v", got, want)
	}
}

// The first sequences of a key are tried one after the other until one is shown, whether
// they come while another is confirmed or after that.
func TestOthers(t *testing.T) {
	table := workertest.Table("Leave")
	c, _ := config(t, table)
	r := newRun(c)
	defer r.confirms.Close()
	s := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Leave()")
	die := func() { r.follow(s, worker.Death{ExitCode: 3}, confirm.Job{Death: true}, "it ended") }
	for range maxUnshown + 2 {
		die()
	}
	for left := maxUnshown - 1; left >= 0; left-- {
		if len(r.findings.pending) != 1 {
			t.Fatalf("%d findings are confirmed, want one; %d to go", len(r.findings.pending), left)
		}
		for key, f := range r.findings.pending {
			if n := len(r.findings.others[key]); n != left {
				t.Errorf("%d more sequences of %s, want %d", n, key, left)
			}
			r.confirmed(confirm.Result{Queued: f.Verdict, Death: true})
		}
	}
	if die(); len(r.findings.pending) != 0 {
		t.Error("a key is confirmed that was not shown so often")
	}
}

// A result that turns out to be another finding waits for the end of a run that repeats
// itself: the sequence of a worker that reports the same is taken, whenever it comes.
func TestSettle(t *testing.T) {
	table := workertest.Table("Leave", "Crash")
	c, _ := config(t, table)
	c.Sequences = 1
	r := newRun(c)
	r.slots = []*slot{{}}
	defer r.confirms.Close()
	hang := engine.Verdict{Kind: engine.KindHang, Tier: engine.Error, Signature: engine.Signature{Kind: engine.KindHang, Where: "Crash"}}
	crash := engine.Verdict{Kind: engine.KindPanic, Tier: engine.Panic, Signature: engine.Signature{Kind: engine.KindPanic, Where: "Crash"}}
	r.confirmed(confirm.Result{Queued: hang, Finding: engine.Finding{Verdict: crash}, Shown: confirm.Runs, Death: true})
	r.takeFinding(&wire.Finding{Finding: engine.Finding{Verdict: crash}, Steps: seq.AppendBinary(nil, workertest.Parse(t, table, "v0 := planted.New()"))})
	if r.settle(); len(r.findings.pending) != 1 || r.proofs.count() != 0 {
		t.Errorf("%d findings are confirmed, %d are shown; want that of the worker to be confirmed", len(r.findings.pending), r.proofs.count())
	}
	if !r.findings.told[crash.DedupKey()] {
		t.Error("the next process is not told of a finding that the one before has reported")
	}
}

// Two workers report panics of one statement that differ in their text. Three are confirmed, but in a
// run that repeats itself as many as its worker reports.
func TestWordings(t *testing.T) {
	table := workertest.Table("Crash")
	for sequences, want := range map[uint64]int{0: 3, 1: 4} {
		c, _ := config(t, table)
		c.Sequences = sequences
		r := newRun(c)
		r.slots = []*slot{{}}
		for _, text := range []string{"bad a", "bad b", "bad c", "bad d"} {
			v := engine.Verdict{
				Kind: engine.KindPanic, Tier: engine.Suspect, Stack: "p.f\n\t/p.go:1\np.Crash\n\t/p.go:2\n",
				Signature: engine.Signature{Kind: engine.KindPanic, Class: engine.ClassExplicit, Text: text, Where: "Crash"},
			}
			r.takeFinding(&wire.Finding{Finding: engine.Finding{Verdict: v}, Steps: seq.AppendBinary(nil, workertest.Parse(t, table, "v0 := planted.New()"))})
		}
		if n := len(r.findings.pending); n != want {
			t.Errorf("%d sequences: %d findings are confirmed, want %d", sequences, n, want)
		}
		r.confirms.Close()
	}
}
