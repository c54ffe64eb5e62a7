package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

func setupProfile(fs *flag.FlagSet) func(context.Context, *bench) error {
	length := fs.Duration("t", 10*time.Second, "fuzz for so `long`")
	pkg := fs.String("package", redBlackTree, "fuzz this `package`")
	seed := fs.Int("seed", 1, "start from this `seed`")
	extra := fs.String("args", "", "give foray fuzz these `flags`, separated by spaces")
	return func(ctx context.Context, b *bench) error {
		args := append(strings.Fields(*extra), "-fuzztime="+length.String(), fmt.Sprintf("-seed=%d", *seed), *pkg)
		return benchProfile(ctx, b, args, *length)
	}
}

// benchProfile prints where the time of a run goes. A short run comes first, so that no
// compiler runs in the measured one.
func benchProfile(ctx context.Context, b *bench, args []string, length time.Duration) error {
	pkg := args[len(args)-1]
	warm := append(args[:len(args)-3:len(args)-3], "-fuzztime=5000x", "-parallel=1", "-seed=1", pkg)
	if _, err := b.foray.fuzz(ctx, job{args: warm, limit: time.Minute}); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-profile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := b.foray.fuzz(ctx, job{args: args, env: []string{"FORAY_PROFILE=" + dir}, limit: length + buildTime})
	if err != nil {
		return err
	}
	if r.pkg().Steps == 0 {
		return fmt.Errorf("%s: no step was executed: %s", pkg, r.problem())
	}
	merged, err := readProfiles(dir)
	if err != nil {
		return fmt.Errorf("profiles of %s: %w", pkg, err)
	}
	b.summary(profileTables(r, merged))
	return nil
}

// readProfiles returns the samples of all profiles in a directory as one.
func readProfiles(dir string) (*profile.Profile, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.pprof"))
	if err != nil {
		return nil, err
	}
	var list []*profile.Profile
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if p, err := profile.ParseData(data); err == nil { // a process that died leaves an empty one
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no worker has written one")
	}
	return profile.Merge(list)
}

// A share of the time: the samples of a stack belong to the first rule one of whose
// functions is on it. A name with a dot at its end stands for a package.
type profileRule struct {
	label string
	funcs []string
}

// By purpose: each run of a sequence has one.
var purposeRules = []profileRule{
	{"pruning entries", []string{"engine.(*keeper).prune"}},
	{"minimizing findings", []string{"engine.(*keeper).minimize"}},
	{"aiming at the frontier", []string{"engine.(*frontier).attemptNext"}},
	{"running stored entries", []string{"engine.(*Engine).Add"}},
	{"sequences of tests", []string{"engine.(*Engine).Seed"}},
	{"composing", []string{"engine.(*composer).compose", "engine.(*Engine).finish", "engine.(*Engine).Step"}},
	{"collecting garbage", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}},
}

// By part of a step. A call is a stack with an adapter; see partOf.
var partRules = []profileRule{
	{"contracts and laws", []string{"executor.(*Executor).hold", "executor.(*judge)."}},
	{"digests", []string{"digest.(*Digester).", "executor.(*Executor).Digests", "executor.(*Executor).State"}},
	{"taking digests in", []string{"engine.(*composer).takeDigests"}},
	{"panics", []string{"runtime.gopanic", "runtime.sigpanic", "executor.(*panicRecord)."}},
	{"tracing operands", []string{"executor.(*tracer)."}},
	{partAdapter, []string{".forayOp"}},
	{"journal", []string{"executor.(*journal).", "seq.AppendStep"}},
	{"counters", []string{"executor.(*Executor).Begin", "executor.(*aroundCounter).", "/coverage.", "engine.(*rareSides)."}},
	{"recover", []string{"executor.(*Executor).call"}},
	{"executor", []string{"executor.(*Executor)."}},
	{"composing", []string{"engine.(*composer).", "engine.(*schedule).", "engine.(*Pool)."}},
	{"aiming", []string{"engine.(*frontier)."}},
	{"reducing", []string{"engine.(*reducer).", "engine.(*keeper)."}},
	{"collecting garbage", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}},
}

const (
	partCalls   = "calls"
	partAdapter = "adapters"
	partTrace   = "tracing operands"
	partOther   = "other"
)

// stack returns the names of the functions of a sample, innermost first.
func stack(s *profile.Sample) []string {
	var names []string
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil {
				names = append(names, line.Function.Name)
			}
		}
	}
	return names
}

// match returns the label of the first rule that has a function of a stack.
func match(rules []profileRule, names []string) string {
	for _, r := range rules {
		for _, f := range r.funcs {
			for _, n := range names {
				if strings.Contains(n, f) {
					return r.label
				}
			}
		}
	}
	return partOther
}

// partOf returns the part of a step that a stack is in. Within an adapter, a function that
// is not of the runtime is the package's, or the probe's.
func partOf(names []string) string {
	part := match(partRules, names)
	if part != partAdapter {
		return part
	}
	for _, n := range names {
		switch {
		case strings.Contains(n, ".forayOp"):
			return partAdapter
		case strings.Contains(n, "/coverage/probe."):
			return partTrace
		case !strings.HasPrefix(n, "runtime.") && !strings.HasPrefix(n, "internal/runtime/"):
			return partCalls
		}
	}
	return partAdapter
}

// profileTables returns the rows to print: the seconds of the run, and the nanoseconds of a
// step. Steps of all purposes count.
func profileTables(r *report, p *profile.Profile) [][]string {
	value := len(p.SampleType) - 1 // nanoseconds
	purposes, parts, profiled := map[string]int64{}, map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		names, v := stack(s), s.Value[value]
		purposes[match(purposeRules, names)] += v
		parts[partOf(names)] += v
		profiled += v
	}
	s, pkg := &r.summary, r.pkg()
	rows := [][]string{{"processor time of workers", "s", "%"}}
	line := func(label string, seconds, of float64) {
		rows = append(rows, []string{"  " + label, decimal(seconds, 2), share(seconds, of)})
	}
	for _, label := range labels(purposeRules) {
		line(label, float64(purposes[label])/1e9, s.CPUSeconds)
	}
	line("starting, and lost with processes that died", max(s.CPUSeconds-float64(profiled)/1e9, 0), s.CPUSeconds)
	line("all", s.CPUSeconds, s.CPUSeconds)
	rows = append(rows, []string{"besides", "s"},
		[]string{"  processor time of confirming", decimal(s.ConfirmCPU, 2)},
		[]string{"  of foray itself, and of the go command and the tests that it runs", decimal(max(r.cpu.Seconds()-s.CPUSeconds-s.ConfirmCPU, 0), 2)},
		[]string{"  finding and building, by the clock", decimal(s.ReadySeconds, 2)},
		[]string{"  restarts: " + restartText(pkg.RestartSeconds), decimal(sum(pkg.RestartSeconds), 2)},
		[]string{"a step, of " + count(pkg.Steps) + " composed or aimed in " + count(pkg.Sequences) + " sequences", "ns", "%"})
	steps := float64(pkg.Steps)
	for _, label := range append([]string{partCalls}, labels(partRules)...) {
		rows = append(rows, []string{"  " + label, decimal(float64(parts[label])/steps, 1), share(float64(parts[label]), float64(profiled))})
	}
	return append(rows, []string{"  all", decimal(float64(profiled)/steps, 1), "100.0"})
}

// labels returns the labels of rules, each once, and that of all else.
func labels(rules []profileRule) []string {
	var list []string
	for _, r := range rules {
		list = append(list, r.label)
	}
	return append(list, partOther)
}

// restartText tells the number and the median of restarts.
func restartText(seconds []float64) string {
	if len(seconds) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, median %.0f ms, by the clock", len(seconds), 1000*median(seconds))
}

func sum(list []float64) float64 {
	total := 0.0
	for _, v := range list {
		total += v
	}
	return total
}
