package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"
)

// A targetSubject is a fuzz target that others have written, of the standard library.
type targetSubject struct{ pkg, fuzz string }

var targetSubjects = []targetSubject{
	{"encoding/json", "FuzzUnmarshalJSON"},
	{"archive/tar", "FuzzReader"},
	{"image/gif", "FuzzDecode"},
	{"html", "FuzzEscapeUnescape"},
	{"net/netip", "FuzzParse"},
}

func setupTargets(fs *flag.FlagSet) func(context.Context, *bench) error {
	reps := fs.Int("n", 3, "measure each target so `often`")
	d := fs.Duration("t", 20*time.Second, "fuzz each target for so `long`")
	return func(ctx context.Context, b *bench) error { return benchTargets(ctx, b, *reps, *d) }
}

// buildTarget builds a target, for go test and for foray, before anything is measured.
func buildTarget(ctx context.Context, b *bench, pkg, fuzz, binary string) error {
	// From its directory: go test fuzzes in the main module only.
	src, err := goOutput(ctx, "", nil, "list", "-f={{.Dir}}", pkg)
	if err != nil {
		return err
	}
	if _, err := goOutput(ctx, firstLine(src), nil, "test", "-c", "-fuzz=^"+fuzz+"$", "-o", binary, pkg); err != nil {
		return err
	}
	_, err = b.foray.fuzz(ctx, job{args: []string{"-parallel=1", "-fuzztime=5000x", "-fuzz=^" + fuzz + "$", pkg}})
	return err
}

// benchTargets fuzzes targets with go test and with foray, on two cores each
// and from the seeds of the target. Then it runs the inputs that each has kept
// under foray's instrument.
func benchTargets(ctx context.Context, b *bench, reps int, d time.Duration) error {
	t, err := b.table("targets", 3, "package", "fuzz", "rep", "sides", "sides_seeds", "sides_go_test", "sides_foray", "go_test_inputs", "foray_inputs", "problems")
	if err != nil {
		return err
	}
	for _, s := range targetSubjects {
		if !b.wants(s.pkg) {
			continue
		}
		binary := ""
		for rep := 1; rep <= reps; rep++ {
			key := []string{s.pkg, s.fuzz, count(rep)}
			if t.done(key...) {
				continue
			}
			if binary == "" {
				dir, err := os.MkdirTemp("", "bench-targets-")
				if err != nil {
					return err
				}
				defer os.RemoveAll(dir)
				binary = filepath.Join(dir, "fuzz.test")
				if err := buildTarget(ctx, b, s.pkg, s.fuzz, binary); err != nil {
					return err
				}
			}
			row, err := targetRow(ctx, b, s, binary, rep, d)
			if err != nil {
				return err
			}
			if err := t.put(key, row); err != nil {
				return err
			}
			b.logf("%s %s #%d: of %s sides %s by the seeds, %s by go test, %s by foray %s", s.pkg, s.fuzz, rep, row[0], row[1], row[2], row[3], row[6])
		}
	}
	return b.finish(targetsSummary, t)
}

func targetRow(ctx context.Context, b *bench, s targetSubject, binary string, rep int, d time.Duration) ([]string, error) {
	dir, err := os.MkdirTemp("", "bench-targets-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// Where foray keeps the inputs of a target, under -outdir.
	inputs := func(outdir string) string {
		return filepath.Join(dir, outdir, filepath.FromSlash(path.Clean(s.pkg)), s.fuzz)
	}
	native := inputs("native")
	if err := goFuzz(ctx, s, binary, filepath.Dir(native), d); err != nil {
		return nil, err
	}
	fuzz := func(outdir string, args ...string) (*report, error) {
		return b.foray.fuzz(ctx, job{args: append(args, "-fuzz=^"+s.fuzz+"$", s.pkg), corpus: filepath.Join(dir, outdir), limit: d + buildTime})
	}
	own, err := fuzz("foray", "-parallel=2", fmt.Sprintf("-seed=%d", rep), "-fuzztime="+d.String())
	if err != nil {
		return nil, err
	}
	problem := own.problem()
	kept := map[string]int{}
	for _, outdir := range []string{"native", "foray"} {
		names, err := os.ReadDir(inputs(outdir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		kept[outdir] = len(names)
	}
	covered := map[string]int{}
	sides := 0
	for _, outdir := range []string{"seeds", "native", "foray"} {
		r, err := fuzz(outdir, "-parallel=1", "-seed=1", "-fuzztime=1x")
		if err != nil {
			return nil, err
		}
		covered[outdir], sides = r.pkg().SidesCovered, r.pkg().Sides
		problem += r.problem()
	}
	return []string{
		count(sides), count(covered["seeds"]), count(covered["native"]), count(covered["foray"]), count(kept["native"]), count(kept["foray"]), problem,
	}, nil
}

// goFuzz runs a test binary as go test -fuzz does. It keeps its inputs in cache,
// in a directory named after the target. That the target fails is no error.
func goFuzz(ctx context.Context, s targetSubject, binary, cache string, d time.Duration) error {
	work := filepath.Join(cache, "work")
	src, err := goOutput(ctx, "", nil, "list", "-f={{.Dir}}", s.pkg)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return err
	}
	testdata := filepath.Join(firstLine(src), "testdata")
	if err := os.CopyFS(filepath.Join(work, "testdata"), os.DirFS(testdata)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+s.fuzz+"$", "-test.fuzzcachedir="+cache, "-test.fuzztime="+d.String(), "-test.parallel=2")
	cmd.Dir = work
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return fmt.Errorf("%s: %w: %s", s.fuzz, err, firstLine(string(out)))
	}
	return ctx.Err()
}

// targetsSummary gives the medians over the repetitions.
func targetsSummary(records []record) [][]string {
	names := []string{"sides", "sides_seeds", "sides_go_test", "sides_foray", "go_test_inputs", "foray_inputs"}
	rows := [][]string{append([]string{"package", "fuzz"}, names...)}
	for _, g := range groups(records, "package", "fuzz") {
		row := []string{g[0].get("package"), g[0].get("fuzz")}
		for _, name := range names {
			row = append(row, decimal(median(column(g, name)), 0))
		}
		rows = append(rows, row)
	}
	return rows
}
