package coordinator

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/worker"
)

// TestProof: a finding counts only if its test fails, and is told in any case but for a call that
// was to hang and returned. The proof of a run that cannot wait is given up.
func TestProof(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prove   func(context.Context, []engine.Finding, bool)
		doubt   string
		counted int
	}{
		{"its test fails", func(context.Context, []engine.Finding, bool) {}, "", 1},
		{"its test passes", func(_ context.Context, list []engine.Finding, _ bool) {
			for i := range list {
				list[i].Doubt = "it passes"
			}
		}, "it passes", 0},
		{"its call returns", func(_ context.Context, list []engine.Finding, _ bool) {
			for i := range list {
				list[i].Doubt, list[i].Returns = "it passes", true
			}
		}, "", 0},
	} {
		c, rec := config(t, workertest.Table("Leave"))
		c.Sequences, c.confirmTime = runs(1000), unbounded
		rec.onProve = tt.prove
		res := run1(t, c)
		told := 1
		if tt.name == "its call returns" {
			told = 0
		}
		if len(rec.findings) != told || told > 0 && rec.findings[0].Doubt != tt.doubt {
			t.Errorf("%s: findings %+v, want %d with doubt %q", tt.name, rec.findings, told, tt.doubt)
		}
		if res.Findings[engine.Panic] != tt.counted || res.Unconfirmed != 1-tt.counted {
			t.Errorf("%s: %v counted, %d unconfirmed; want %d counted", tt.name, res.Findings, res.Unconfirmed, tt.counted)
		}
	}

	// A run that is over tells the findings whose tests it does not wait for.
	c, rec := config(t, workertest.Table("Leave"))
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r.proofContext = ctx
	rec.onProve = func(ctx context.Context, list []engine.Finding, _ bool) {
		<-ctx.Done()
		for i := range list {
			list[i].Doubt = "interrupted"
		}
	}
	for _, where := range []string{"F", "G"} {
		r.prove(engine.Finding{Verdict: engine.Verdict{Tier: engine.Error, Signature: engine.Signature{Where: where}}})
	}
	if !r.proofs.open() || r.proofs.count() != 2 {
		t.Fatalf("%d proofs, want 2", r.proofs.count())
	}
	r.config.confirmTime = time.Nanosecond
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	r.drain(interrupted, "interrupted")
	cancel()
	r.proofs.ended.Wait()
	if len(rec.findings) != 2 || rec.findings[0].Doubt != untried || rec.findings[1].Doubt != untried {
		t.Errorf("findings %+v, want two that are not tried", rec.findings)
	}
	if left, late := r.findings.leftSequences(); len(left) != 2 || late != 2 {
		t.Errorf("%d sequences left, %d of them reported, want 2", len(left), late)
	}
}

// A trial beside the search gives way. When the search is over it begins anew, together with
// what waits, the surest first.
func TestProofBeside(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r.proofContext = ctx
	var trials []string
	rec.onProve = func(ctx context.Context, list []engine.Finding, beside bool) {
		tiers := ""
		for _, f := range list {
			tiers += f.Verdict.Tier.String() + " "
		}
		if trials = append(trials, tiers); !beside {
			return
		}
		<-ctx.Done()
		for i := range list {
			list[i].Doubt, list[i].Untried = "interrupted", true
		}
	}
	r.proofs.tries = 1
	for _, tier := range []engine.Tier{engine.Panic, engine.Suspect, engine.Error} {
		r.prove(engine.Finding{Verdict: engine.Verdict{Tier: tier, Signature: engine.Signature{Where: tier.String()}}})
	}
	r.config.confirmTime = unbounded
	r.drain(t.Context(), "time")
	cancel()
	r.proofs.ended.Wait()
	if len(rec.findings) != 3 || r.findings.unconfirmed != 0 {
		t.Errorf("findings %+v, %d unconfirmed; want three that are confirmed", rec.findings, r.findings.unconfirmed)
	}
	if want := []string{"panic ", "error panic suspect "}; !slices.Equal(trials, want) {
		t.Errorf("trials of %q, want %q", trials, want)
	}
}

// The first trial does not give way to the search, later ones do. Shortly before the end of
// the search a trial that gives way begins anew, and does not. What it leaves in doubt is
// tried once more when the search is over.
func TestProofEnding(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	c.Duration = time.Minute
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r.proofContext = ctx
	var trials []string
	rec.onProve = func(ctx context.Context, list []engine.Finding, giveWay bool) {
		trials = append(trials, fmt.Sprint(len(list), giveWay))
		if giveWay {
			<-ctx.Done()
		}
		for i := range list {
			switch {
			case giveWay:
				list[i].Doubt, list[i].Untried = "interrupted", true
			case list[i].Verdict.Tier == engine.Error:
				list[i].Doubt = "it passes"
			}
		}
	}
	r.prove(engine.Finding{Verdict: engine.Verdict{Tier: engine.Suspect}})
	for len(rec.findings) == 0 {
		r.proved(<-r.proofs.results)
	}
	rec.findings = nil
	r.proved(<-r.proofs.results)
	for _, tier := range []engine.Tier{engine.Error, engine.Panic} {
		r.prove(engine.Finding{Verdict: engine.Verdict{Tier: tier, Signature: engine.ParseSignature("panic:index:" + tier.String())}})
	}
	r.began = time.Now().Add(time.Second - c.Duration)
	r.end()
	for len(rec.findings) == 0 {
		r.proved(<-r.proofs.results)
	}
	if f := rec.findings[0]; f.Verdict.Tier != engine.Panic || f.Doubt != "" || r.proofs.count() != 1 {
		t.Errorf("reported %+v with %d to come, want the panic, and the error to come", f, r.proofs.count())
	}
	r.config.confirmTime = unbounded
	r.drain(t.Context(), "time")
	cancel()
	r.proofs.ended.Wait()
	if len(rec.findings) != 2 || rec.findings[1].Doubt != "it passes" {
		t.Errorf("findings %+v, want the error in doubt", rec.findings)
	}
	if want := []string{"1 false", "1 true", "2 false", "1 false"}; !slices.Equal(trials, want) {
		t.Errorf("trials %q, want %q", trials, want)
	}
}

// A finding whose trial gave way, and had no time for another, is left for the next run.
func TestProofGaveWay(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	c.Duration = time.Minute
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r.proofContext = ctx
	rec.onProve = func(ctx context.Context, list []engine.Finding, _ bool) {
		<-ctx.Done()
		for i := range list {
			list[i].Doubt, list[i].Untried = "interrupted", true
		}
	}
	r.proofs.tries = 1
	r.prove(engine.Finding{Verdict: engine.Verdict{Tier: engine.Error}})
	r.began = time.Now().Add(time.Second - c.Duration)
	for r.end(); r.proofs.tries < 3; { // the trial beside the search, and the one after it
		r.proved(<-r.proofs.results)
	}
	r.config.confirmTime = time.Nanosecond
	r.drain(t.Context(), "time")
	cancel()
	r.proofs.ended.Wait()
	if _, late := r.findings.leftSequences(); len(rec.findings) != 1 || !rec.findings[0].Untried || late != 1 || len(r.findings.left) != 1 {
		t.Errorf("findings %+v, %d sequences left, %d of them reported; want one that is not tried, and left", rec.findings, len(r.findings.left), late)
	}
}

// A finding that was given up while it was confirmed is left for the next run, and not reported as
// well should its confirmation end while tests of others are tried.
func TestLeftOnce(t *testing.T) {
	table := workertest.Table("Leave")
	c, rec := config(t, table)
	c.confirmTime = time.Nanosecond
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r.proofContext = ctx
	tried := make(chan bool)
	rec.onProve = func(context.Context, []engine.Finding, bool) { <-tried }
	r.prove(engine.Finding{Verdict: engine.Verdict{Tier: engine.Error}})
	r.follow(workertest.Parse(t, table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Leave()"), worker.Death{ExitCode: 3}, confirm.Job{Death: true}, "it ended")
	ticks := 0
	rec.onProgress = func() {
		if ticks++; ticks == 40 {
			close(tried)
		}
	}
	r.drain(t.Context(), "time")
	cancel()
	r.proofs.ended.Wait()
	if len(rec.findings) != 1 || len(r.findings.left) != 1 {
		t.Errorf("%d findings reported, %d sequences left; want one each: %+v, %q", len(rec.findings), len(r.findings.left), rec.findings, rec.warnings)
	}
}

// Of the findings of a signature, if no test can be tried, the surest is reported, and left for the
// next run; none if it was reported before.
func TestGiveUpOfSignature(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	r := newRun(c)
	defer r.confirms.Close()
	finding := func(tier engine.Tier, name string) engine.Finding {
		return engine.Finding{Verdict: engine.Verdict{Tier: tier, Signature: engine.ParseSignature("panic:index:" + name)}}
	}
	r.report(finding(engine.Panic, "G"))
	r.proofs.waiting = []engine.Finding{finding(engine.Suspect, "F"), finding(engine.Suspect, "G"), finding(engine.Panic, "F")}
	r.giveUpProofs()
	if len(rec.findings) != 2 || rec.findings[1].Verdict.Tier != engine.Panic || r.findings.unconfirmed != 1 || r.findings.untried[engine.Panic] != 1 || len(r.findings.left) != 1 {
		t.Errorf("reported %+v, %d unconfirmed, %d left; want the panic of G, then that of F alone", rec.findings, r.findings.unconfirmed, len(r.findings.left))
	}
}

// A suspect whose test was tried late does not replace an error of its signature.
func TestReportHighestTier(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	r := newRun(c)
	defer r.confirms.Close()
	for _, tier := range []engine.Tier{engine.Panic, engine.Error, engine.Suspect} {
		r.report(engine.Finding{Verdict: engine.Verdict{Tier: tier, Signature: engine.ParseSignature("panic:index:F")}})
	}
	if len(rec.findings) != 2 || rec.findings[1].Verdict.Tier != engine.Error || r.findings.byTier != [engine.Tiers]int{engine.Error: 1} {
		t.Errorf("reported %+v, counted %v; want the panic, then the error, counted once", rec.findings, r.findings.byTier)
	}
}
