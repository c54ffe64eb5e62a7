package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foray.test/cmd/internal/consumer"
	"foray.test/cmd/internal/load"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
	"foray.test/harness/target"
)

// runTarget fuzzes a target of the tests of one package, as go test -fuzz does.
func (o *fuzzOptions) runTarget(ctx context.Context) (int, error) {
	if o.ops != nil || o.skip != nil {
		return exitUsage, &load.Error{Msg: "-ops and -skip choose operations of a package, -fuzz has but one"}
	}
	if o.coverProfile != "" {
		return exitUsage, &load.Error{Place: "-coverprofile", Msg: "does not go with -fuzz: its corpus is that of go test, which can count statements"}
	}
	began := time.Now()
	c, cache, err := chooseTarget(ctx, o.common, o.fuzz)
	if err != nil {
		return exitUsage, err
	}
	f := &fuzzing{fuzzOptions: o, goCache: cache}
	stop := context.AfterFunc(ctx, o.out.Interrupted)
	defer stop()
	if err := f.target(ctx, c); err != nil {
		if ctx.Err() != nil {
			return exitUsage, errors.New("interrupted")
		}
		return exitUsage, err
	}
	f.summary(time.Since(began))
	if t := f.total.Findings; t.Error > 0 || t.Panic > 0 { // either fails go test
		return exitFindings, nil
	}
	return exitClean, nil
}

// target fuzzes the chosen target of a package.
func (f *fuzzing) target(ctx context.Context, chosen choice) error {
	dir, err := f.temps.make()
	if err != nil {
		return err
	}
	defer f.temps.remove(dir)
	s, seeds, err := prepareTarget(ctx, chosen, dir)
	if err != nil {
		return err
	}
	if s.dir, err = s.storeDir(f.goCache); err != nil {
		return err
	}
	r := newTargetRecorder(f, s, dir)
	if err := r.begin(ctx, seeds); err != nil {
		return err
	}
	params := engine.TargetParams()
	if s.listed > 0 {
		params = engine.DefaultParams()
		params.MinSteps, params.MaxSteps = min(params.MinSteps, s.listed), min(params.MaxSteps, s.listed)
	}
	c := coordinator.Config{
		Config: s.config(r.spawn), Params: params, Spare: s.listed == 0,
		Parallel: int(f.parallel), Seed: f.seed.n, Entries: r.entries, Known: r.quiet,
		Sequences: f.fuzzTime.sequences, Duration: f.fuzzTime.duration,
		Report: r,
	}
	c.Patience = r.patience()
	if f.aim && len(s.found.Conditions) > 0 {
		c.Conditions = s.found.Conditions
		c.Analysis = func(ctx context.Context) (worker.Spawn, error) {
			return s.spawnAnalysis(ctx, dir)
		}
	}
	res, err := coordinator.Run(ctx, c)
	if err != nil {
		return &load.Error{Place: s.target.Path, Msg: err.Error()}
	}
	for _, tier := range []engine.Tier{engine.Suspect, engine.Panic, engine.Error} {
		res.Findings[tier] += r.failing[tier]
	}
	r.count(res.Hits)
	f.packageDone(&done{s, r.recorder, res, s.learned(res)})
	return nil
}

// prepareTarget makes the target ready: from the cache if nothing changed, or by
// building the worker that has the package's tests. It returns the inputs that
// the target itself gives to begin with.
func prepareTarget(ctx context.Context, c choice, dir string) (*subject, []input, error) {
	defer c.out.Quiet()
	pkg, name := c.pkg, c.name
	s := newSubject(pkg, c.common)
	s.fuzz, s.goFuzz = name, c.goFuzz
	s.free = true // as go test runs it: its author has chosen its calls
	c.out.Stage("preparing " + pkg.Path + "." + name)
	if len(c.goFuzz) == 0 {
		if err := pkg.TestInputs(ctx); err != nil {
			return nil, nil, &load.Error{Place: pkg.Path, Msg: err.Error()}
		}
	}
	s.stamp = s.targetStamp()
	w, extra, ok := build.Lookup("", s.stamp)
	if ok && json.Unmarshal(extra, &s.found) == nil {
		s.worker = w
		if err := s.readTable(); err != nil {
			return nil, nil, err
		}
	} else if err := s.buildTarget(ctx); err != nil {
		return nil, nil, err
	}
	d, list, err := s.describe(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	s.dictionary = s.table
	if list != nil {
		catalog.Mine(list.Table, s.dictionary)
		s.table, s.listed = list.Table, list.Steps
	} else if s.table, err = catalog.TargetTable(s.dictionary, name, d.Types); err != nil {
		return nil, nil, &load.Error{Place: pkg.Path, Msg: err.Error()}
	}
	if list == nil && s.readsByConsumer() {
		encodeWords(s.table)
	}
	s.pool = engine.NewPool(s.table)
	data, err := json.Marshal(s.table)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, targetTable), data, 0o666); err != nil {
		return nil, nil, err
	}
	var seeds []input
	for i, file := range d.Seeds {
		seeds = append(seeds, input{name: fmt.Sprintf("seed#%d", i), content: file})
	}
	return s, seeds, nil
}

// readsByConsumer reports whether the files of the target import go-fuzz-headers.
func (s *subject) readsByConsumer() bool {
	files := slices.Concat(s.target.TestGoFiles, s.target.XTestGoFiles)
	if len(s.goFuzz) > 0 {
		files = s.target.GoFiles
	}
	return len(load.ParseFiles(files, strconv.Quote(consumer.Path))) > 0
}

// encodeWords adds to the words of the dictionary their form for go-fuzz-headers: a
// word with its length before it. It also adds a run of zeros, which go-fuzz-headers
// reads as empty values, because it reads a value for as long as there are bytes.
func encodeWords(t *seq.Table) {
	for i := range t.Types {
		ty := &t.Types[i]
		if ty.Literal != seq.String {
			continue
		}
		mined := []string{strconv.Quote(strings.Repeat("\x00", zeroRun))}
		for _, text := range ty.Mined {
			mined = append(mined, text)
			if word, err := strconv.Unquote(text); err == nil {
				mined = append(mined, strconv.Quote(string(consumer.String(word))))
			}
		}
		ty.Mined = mined
	}
}

// zeroRun is the length of the run of zeros: a dozen empty strings.
const zeroRun = 48

// targetStamp returns a key that changes with everything that the worker of a
// package's fuzz targets depends on. All targets share a worker, and all go-fuzz
// functions another.
func (s *subject) targetStamp() string {
	if len(s.goFuzz) > 0 {
		return s.target.Stamp(version(), "go-fuzz functions")
	}
	return s.target.Stamp(version(), "fuzz targets")
}

// targetTable is the file of the target's table, in the temporary directory. It is
// made from the worker's description.
const targetTable = "table.json"

// buildTarget builds the worker. Its table has the mined constants and no operation.
func (s *subject) buildTarget(ctx context.Context) error {
	pkg, err := loadOne(ctx, s.target)
	if err != nil {
		return err
	}
	s.table, err = catalog.Dictionary(catalog.Input{Types: pkg.Types, Fset: pkg.Fset, Files: pkg.Files, Info: pkg.Info, TestFiles: pkg.TestFiles, Importer: pkg.Importer})
	if err != nil {
		return &load.Error{Place: s.target.Path, Msg: err.Error()}
	}
	pkg.Target.Inputs = s.target.Inputs
	return s.compile(ctx, pkg)
}

// targetArgs are the arguments by which a worker runs the target alone.
func (s *subject) targetArgs(dir string) []string {
	name := s.fuzz
	if len(s.goFuzz) > 0 {
		name = build.GoFuzzTarget(name)
	}
	return []string{"-test.run=^$", "-test.fuzz=^" + name + "$", "-test.fuzzcachedir=" + dir}
}

// describeTime bounds the time of TestMain and of the statements before f.Fuzz.
const describeTime = 2 * time.Minute

// describe asks the target for its arguments' types and its seeds, and for the
// operations that it lists, if it does.
func (s *subject) describe(ctx context.Context, dir string) (*target.Description, *wire.List, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	file, listFile := filepath.Join(dir, "description.json"), filepath.Join(dir, "list.json")
	cmd := exec.CommandContext(ctx, s.worker.Path, s.targetArgs(dir)...)
	cmd.Dir = s.target.Dir
	cmd.Env = append(os.Environ(), wire.EnvDescribe+"="+file, wire.EnvList+"="+listFile, "PWD="+s.target.Dir)
	said, err := cmd.CombinedOutput()
	data, readErr := os.ReadFile(file)
	if readErr != nil {
		// TestMain, the target or testing did not want it.
		why := firstMessage(string(said))
		if err == nil {
			err = errors.New("it did not call f.Fuzz")
		}
		return nil, nil, &load.Error{Place: s.target.Path + "." + s.fuzz, Msg: cmp.Or(why, err.Error()), Hint: s.goTest("^"+s.fuzz+"$") + " shows more"}
	}
	d := new(target.Description)
	if err := json.Unmarshal(data, d); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if data, err = os.ReadFile(listFile); errors.Is(err, fs.ErrNotExist) {
		return d, nil, nil
	}
	list := new(wire.List)
	if err := errors.Join(err, json.Unmarshal(data, list)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", listFile, err)
	}
	return d, list, nil
}

// firstMessage returns the first line of a test's output with a message.
func firstMessage(said string) string {
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		line = ownPlace.ReplaceAllString(strings.TrimPrefix(line, "panic: "), "")
		if line != "" && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "===") && line != "FAIL" && line != "PASS" {
			return strings.TrimSuffix(line, " [recovered, repanicked]")
		}
	}
	return ""
}

// ownPlace is the place in testing that a message of its own comes from.
var ownPlace = regexp.MustCompile(`^fuzz\.go:\d+: `)

// ownsTestdata reports whether failing inputs go to the testdata of the package,
// where go test finds them. They do not for a go-fuzz function, which go test does
// not run, for a package of the standard library or a dependency, or if the user
// named another place.
func (s *subject) ownsTestdata() bool {
	return s.outdir == "" && len(s.goFuzz) == 0 && s.target.Own()
}

// signature returns the only operation of a target's table: "FuzzParse([]byte, int)".
func signature(t *seq.Table) string {
	name := t.Ops[0].Name
	return name[strings.LastIndex(name[:strings.IndexByte(name, '(')], ".")+1:]
}
