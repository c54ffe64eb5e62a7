package coordinator

import (
	"fmt"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// Findings that there was no time to confirm are told in one line, however many there are.
func TestLeave(t *testing.T) {
	for n, want := range map[int]string{
		0: "",
		1: "no time was left to confirm panic:index:F0, which is not reported; a longer run may",
		2: "no time was left to confirm 2 findings, which are not reported; a longer run may: panic:index:F1, panic:index:F0",
		6: "no time was left to confirm 6 findings, which are not reported; a longer run may: panic:index:F1, panic:index:F3, panic:index:F5, panic:index:F0 and 2 more",
	} {
		f := newFindings(nil)
		for i := range n {
			v := engine.Verdict{Tier: engine.Suspect, Signature: engine.ParseSignature(fmt.Sprintf("panic:index:F%d", i))}
			if i%2 == 1 {
				v.Tier = engine.Panic
			}
			f.pending[v.DedupKey()] = engine.Finding{Verdict: v}
		}
		var said []string
		f.leave(func(msg string) { said = append(said, msg) }, nil)
		if got := strings.Join(said, "\n"); got != want {
			t.Errorf("%d findings: %q, want %q", n, got, want)
		}
		if len(f.left) != n || len(f.pending) > 0 {
			t.Errorf("%d findings: %d are left, %d still pending", n, len(f.left), len(f.pending))
		}
	}
}

// A finding that is reported with its tier or a higher one, or whose test is tried, is not named as
// one that is not reported. A signature of two tiers is named once.
func TestLeaveReported(t *testing.T) {
	verdict := func(tier engine.Tier, name string) engine.Verdict {
		return engine.Verdict{Tier: tier, Signature: engine.ParseSignature("panic:index:" + name)}
	}
	f := newFindings(nil)
	for _, name := range []string{"Reported", "Doubted", "Tried", "Surer"} {
		v := verdict(engine.Panic, name)
		f.pending[v.DedupKey()] = engine.Finding{Verdict: v}
	}
	surest := verdict(engine.Error, "Surer")
	f.pending[surest.DedupKey()] = engine.Finding{Verdict: surest}
	f.tiers[verdict(0, "Reported").Signature] = engine.Error
	f.doubted[verdict(0, "Doubted").Signature] = engine.Panic
	f.tiers[verdict(0, "Surer").Signature] = engine.Suspect
	var said []string
	f.leave(func(msg string) { said = append(said, msg) }, []engine.Finding{{Verdict: verdict(engine.Error, "Tried")}, {Verdict: verdict(engine.Suspect, "Surer")}})
	if want := "no time was left to confirm panic:index:Surer, which is not reported; a longer run may"; len(said) != 1 || said[0] != want || len(f.left) != 4 {
		t.Errorf("%q, %d left; want %q, and 4", said, len(f.left), want)
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
