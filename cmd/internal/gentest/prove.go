package gentest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/emit"
)

// A Prover tries the tests of findings as a user would build them. A finding counts as
// confirmed only when its test has failed.
type Prover struct {
	Target     *build.Target
	Table      *seq.Table
	Temp       string // an empty directory
	Flags      []string
	Env        []string // of the go command; nil: that of the target
	Unconfined bool     // the tests may write anywhere: see [build.Trial]
	// Time is that of the run, zero if no time ends it. The longer it is, the longer is a call
	// tried that does not return.
	Time time.Duration

	place *Place
	tried int
}

// proofFile is the name under which tests are tried.
const proofFile = "foray_proof_test.go"

// Times of a trial. A test that waits for a call to return waits for ten seconds. To try it,
// two are enough, as three processes have shown the hang before: of the clock for a call that
// waits, of the processor for one that runs. On a machine that does other things, a call that
// computes for a second may take longer by the clock. A run of a minute has the time to tell apart
// what loads tables for some seconds.
const (
	proofPatience  = 2 * time.Second
	proofProcessor = 2 * time.Second
	mostProcessor  = 5 * time.Second
	proofPart      = 12 // of the time of a run, between these two
	// proofTime only ends a test that does not end itself.
	proofTime = 20 * time.Second
	// proofRuns is how often a test may pass before it does not show its finding.
	proofRuns = 3
	// hangsAtOnce is how many tests of hangs run beside each other. Most of them wait.
	hangsAtOnce = 4
)

// Prove tries the tests of findings, all in one binary but each in processes of its own. It
// sets Doubt where the test does not fail or cannot be built, and Flaky where it fails only
// now and then. After that it calls done with the index of the finding. Building may have to
// give way to other processes.
func (p *Prover) Prove(ctx context.Context, list []engine.Finding, giveWay bool, done func(i int)) {
	tests, cands := p.candidates(list)
	building := ctx
	if giveWay {
		building = build.Behind(ctx)
	}
	trial, err := p.build(building, tests, cands)
	var hangs sync.WaitGroup
	defer hangs.Wait()
	turns := make(chan struct{}, hangsAtOnce)
	for i := range list {
		switch {
		case cands[i].why != "":
			list[i].Doubt, list[i].Untried = cands[i].why, true
			done(i)
		case ctx.Err() != nil:
			list[i].Doubt, list[i].Untried = noTime, true
			done(i)
		case err != nil:
			list[i].Doubt, list[i].Untried = "its test cannot be built: "+text.OneLine(err.Error(), 400), true
			done(i)
		case list[i].Verdict.Kind == engine.KindHang:
			hangs.Go(func() {
				turns <- struct{}{}
				limited := *trial
				limited.Processor = p.processor()
				p.run(ctx, &limited, cands[i].test, &list[i])
				<-turns
				done(i)
			})
		}
	}
	for i := range list {
		if err == nil && cands[i].why == "" && list[i].Verdict.Kind != engine.KindHang {
			p.run(ctx, trial, cands[i].test, &list[i])
			done(i)
		}
	}
}

// candidates returns the tests of findings.
func (p *Prover) candidates(list []engine.Finding) ([]emit.Finding, []candidate) {
	tests := make([]emit.Finding, len(list))
	cands := make([]candidate, len(list))
	for i, f := range list {
		cands[i].test = fmt.Sprintf("TestForayProof%d", i+1)
		tests[i] = emit.Finding{Sequence: f.Steps, Verdict: f.Verdict, Options: emit.Options{
			Name: cands[i].test, Package: p.Target.Name, Raise: p.Target.Below(emit.Language),
		}}
		if f.Verdict.Signature.Class == engine.ClassBlocked {
			tests[i].Options.Patience = proofPatience
		}
		if _, err := emit.File(p.Table, tests[i:i+1]); err != nil {
			cands[i].why = "no test shows it: " + err.Error()
		}
	}
	return tests, cands
}

// build builds the tests of candidates, without those that do not compile. If the package's
// own tests do not compile, it builds without these.
func (p *Prover) build(ctx context.Context, tests []emit.Finding, cands []candidate) (*build.Trial, error) {
	if err := p.findPlace(); err != nil {
		return nil, err
	}
	p.tried++
	trial := &build.Trial{
		Dir: p.place.tryDir, Env: p.place.env, Flags: p.Flags, Go: p.Target.Go, Temp: filepath.Join(p.Temp, fmt.Sprint("proof", p.tried)), Unconfined: p.Unconfined,
		Files: map[string][]byte{failFile: nil, regressionFile: nil}, NoVet: true, Time: proofTime,
	}
	for alone := false; ; {
		var list []emit.Finding
		var keep []int
		for i := range cands {
			if cands[i].why == "" {
				list, keep = append(list, tests[i]), append(keep, i)
			}
		}
		if len(keep) == 0 {
			return trial, nil
		}
		src, err := emit.File(p.Table, list)
		if err == nil {
			src, err = newImportNamer(p.place.declared()).rename(src)
		}
		if err != nil {
			return nil, err
		}
		trial.Files[proofFile] = src
		complaints, err := trial.Check(ctx, proofFile)
		switch {
		case err == nil && len(complaints) == 0:
			return trial, nil
		case len(complaints) > 0:
			blame(cands, keep, testFunctions(src), complaints)
			if !slices.ContainsFunc(keep, func(k int) bool { return cands[k].why != "" }) {
				return nil, fmt.Errorf("line %d: %s", complaints[0].Line, complaints[0].Msg)
			}
		case alone || ctx.Err() != nil || p.place.module != nil:
			return nil, err
		default:
			alone = true
			for _, file := range slices.Concat(p.Target.TestGoFiles, p.Target.XTestGoFiles) {
				if slices.Contains(p.Target.Kept, file) {
					continue // the tests call its functions
				}
				trial.Files[filepath.Base(file)] = nil
			}
		}
	}
}

// findPlace finds the place where tests of the package are built.
func (p *Prover) findPlace() error {
	if p.place != nil {
		return nil
	}
	out := ""
	if !p.Target.Own() {
		out = filepath.Join(p.Temp, "none")
	}
	place, err := NewPlace(p.Target, out, p.Temp)
	if err != nil {
		return err
	}
	if p.Env != nil && place.module == nil {
		place.env = p.Env
	}
	p.place = place
	return nil
}

const noTime = "there was no time to try its test"

// run runs the test of a finding until it fails.
func (p *Prover) run(ctx context.Context, t trial, name string, f *engine.Finding) {
	doubt, returns := "its test passes in a fresh process", f.Verdict.Kind == engine.KindHang
	for run := range proofRuns {
		ran, err := t.Run(ctx, []string{name}, 1+run%2)
		switch {
		case ctx.Err() != nil:
			f.Doubt, f.Untried = noTime, true
			return
		case err != nil:
			f.Doubt, f.Untried = "its test cannot be run: "+text.OneLine(err.Error(), 400), true
			return
		case len(ran.Failed) > 0:
			why := notShown(&f.Verdict, ran.Processor, p.processor())
			if why == "" {
				f.Flaky = f.Flaky || run > 0
				return
			}
			doubt, returns = why, false
		}
	}
	f.Doubt, f.Returns = doubt, returns
}

// processor returns how much processor time a call that runs on is given, in whole seconds.
func (p *Prover) processor() time.Duration {
	return min(max(proofProcessor, (p.Time/proofPart).Truncate(time.Second)), mostProcessor)
}

// notShown returns why a test has not shown that the call for which it waited does not return, or "" if it
// has. The test took so much of the processor time given.
func notShown(v *engine.Verdict, took, given time.Duration) string {
	waits := v.Signature.Class == engine.ClassBlocked
	switch {
	case v.Kind != engine.KindHang:
	case waits && took >= proofProcessor*3/4:
		return "its test shows a call that is at work, and does not wait"
	case !waits && took < given/2:
		return "its test does not show that the call does not return, as the machine is busy"
	}
	return ""
}
