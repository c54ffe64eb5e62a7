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
	"foray.test/cmd/internal/fuzztarget"
	"foray.test/cmd/internal/gofuzz"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/coordinator"
	"foray.test/engine/replay"
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
	if o.leaks || o.past || len(o.use.of) > 0 {
		return exitUsage, &load.Error{Msg: "-leaks, -past and -usage-of are about sequences of calls, -fuzz makes inputs"}
	}
	if o.coverProfile != "" {
		return exitUsage, &load.Error{Place: "-coverprofile", Msg: "does not go with -fuzz: its corpus is that of go test, which can count statements"}
	}
	began := time.Now()
	c, err := chooseTarget(ctx, o.common, o.fuzz)
	if err != nil {
		return exitUsage, err
	}
	f := &fuzzing{fuzzOptions: o}
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
	if s.dir, err = s.storeDir(); err != nil {
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
		Parallel: f.parallel, Seed: f.seed.n, Entries: r.entries, Known: r.quiet,
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
	r.addOutside(&res.Snapshot)
	r.count(res.Hits)
	d, left := &done{s, r.recorder, res, s.learned(res)}, ""
	if len(res.Left) > 0 {
		left = noTime(res.Left)
	}
	f.packageDone(d)
	f.tellUntested(d, left)
	return nil
}

// prepareTarget makes the target ready: from the cache if nothing changed, or by
// building the worker that has the package's tests. It returns the inputs that
// the target itself gives to begin with.
func prepareTarget(ctx context.Context, c choice, dir string) (*subject, []fuzztarget.Input, error) {
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
		fuzztarget.EncodeWords(s.table)
	}
	s.pool = engine.NewPool(s.table)
	data, err := s.table.Encode()
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, targetTable), data, 0o666); err != nil {
		return nil, nil, err
	}
	var seeds []fuzztarget.Input
	for i, file := range d.Seeds {
		seeds = append(seeds, fuzztarget.Input{Name: fmt.Sprintf("seed#%d", i), Content: file})
	}
	return s, seeds, nil
}

// readsByConsumer reports whether the files of the target import go-fuzz-headers.
func (s *subject) readsByConsumer() bool {
	files := slices.Concat(s.target.TestGoFiles, s.target.XTestGoFiles)
	if len(s.goFuzz) > 0 {
		files = s.target.GoFiles
	}
	return len(load.ParseFiles(s.target, files, strconv.Quote(consumer.Path))) > 0
}

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
const targetTable = "table"

// buildTarget builds the worker. Its table has the mined constants and no operation.
func (s *subject) buildTarget(ctx context.Context) error {
	pkg, err := load.One(ctx, s.target)
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

// A choice is a fuzz target of a package: of its tests, or a function as go-fuzz
// takes them.
type choice struct {
	*common
	pkg    *build.Target
	name   string
	goFuzz []string // all such functions of the package, if it is one of them
}

// chooseTarget returns the one target of the one package that the arguments name.
func chooseTarget(ctx context.Context, o *common, expr string) (choice, error) {
	list, packages, err := chooseTargets(ctx, o, expr)
	switch {
	case err != nil:
		return choice{}, err
	case packages != 1:
		return choice{}, &load.Error{Msg: fmt.Sprintf("-fuzz takes one package, not %d", packages), Hint: "name the one that declares the target"}
	case len(list) > 1:
		var names []string
		for _, c := range list {
			names = append(names, c.name)
		}
		return choice{}, &load.Error{
			Place: list[0].pkg.Path, Msg: fmt.Sprintf("-fuzz %s matches more than one target: %s", text.Quote(expr), strings.Join(names, ", ")),
			Hint: "such as -fuzz '^" + names[0] + "$'",
		}
	}
	return list[0], nil
}

// chooseTargets returns the targets that -fuzz matches, an expression as go test
// takes it, in the packages that the arguments name. They are targets of the
// packages' tests or, if none matches, go-fuzz functions, with the tag that usually
// guards them. packages is the number of packages.
func chooseTargets(ctx context.Context, o *common, expr string) (list []choice, packages int, err error) {
	// Behind a slash, go test chooses among inputs. Fuzzing makes new ones all the time.
	expr, _, _ = strings.Cut(expr, "/")
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, 0, &load.Error{Place: "-fuzz", Msg: err.Error()}
	}
	found, listErr := findTargets(ctx, o)
	for _, pkg := range found {
		for _, name := range catalog.Targets(fuzztarget.TestFiles(pkg)) {
			if re.MatchString(name) {
				list = append(list, choice{common: o, pkg: pkg, name: name})
			}
		}
	}
	if len(list) > 0 {
		return list, len(found), listErr
	}
	tagged := *o
	if tagged.build, err = fuzztarget.WithTag(ctx, o.build, fuzztarget.GoFuzzTag); err != nil {
		return nil, 0, err
	}
	guarded, taggedErr := findTargets(ctx, &tagged)
	for _, pkg := range guarded {
		functions := catalog.GoFuzz(load.ParseFiles(pkg, pkg.GoFiles, "func "))
		for _, name := range fuzztarget.Match(functions, re, expr) {
			list = append(list, choice{common: o, pkg: pkg, name: name, goFuzz: functions})
		}
	}
	switch {
	case len(list) > 0:
		return list, len(guarded), taggedErr
	case listErr != nil:
		return nil, 0, listErr
	case len(found) != 1:
		return nil, len(found), nil
	}
	return nil, 1, fuzztarget.None(found[0], guarded, expr)
}

// input is an input of a fuzz target that can be run.
type input struct {
	fuzztarget.Input
	steps seq.Sequence // the call that it stands for
	text  string       // … or the argument, of a test that lists its operations
}

// targetRecorder keeps the results of a run on a fuzz target as go test does. Inputs
// go to the cache of go test, failing ones to the testdata of the package, if the
// package is the user's.
type targetRecorder struct {
	*recorder
	dirs fuzztarget.Dirs
	// suppressions are the crashes that the user's go-fuzz has silenced.
	suppressions []gofuzz.Crash
	slowest      time.Duration // input of those that do not
}

func newTargetRecorder(f *fuzzing, s *subject, dir string) *targetRecorder {
	r := &recorder{f: f, s: s, spawn: s.spawn(dir)}
	r.makeReady()
	dirs := s.inputDirs()
	r.corpus = dirs.Found
	list, err := fuzztarget.Suppressions(s.suppressionDir())
	if err != nil {
		r.Warn(err.Error())
	}
	return &targetRecorder{recorder: r, dirs: dirs, suppressions: list}
}

// begin gathers the first inputs of the run, those of the target itself first, and
// runs them. An input that fails is a finding already.
func (r *targetRecorder) begin(ctx context.Context, seeds []fuzztarget.Input) error {
	seeds, err := r.dirs.Read(seeds)
	if err != nil {
		return err
	}
	var inputs []input
	seen := map[string]bool{}
	bad := 0
	for _, seed := range seeds {
		in := input{Input: seed}
		var err error
		if r.s.listed > 0 {
			in.text, err = in.Text()
		} else {
			in.steps, err = in.Parse(r.s.table, r.s.pool)
		}
		if err != nil {
			if bad++; bad <= maxBadInputs || r.f.verbose {
				r.f.out.Warn(fmt.Sprintf("%s: %v", in.Name, err), "")
			}
			continue
		}
		if key := in.text + string(seq.AppendBinary(nil, in.steps)); !seen[key] {
			seen[key] = true
			inputs = append(inputs, in)
		}
	}
	if more := bad - maxBadInputs; more > 0 && !r.f.verbose {
		r.f.out.Warn(text.Plural(more, "more input")+" like these; -v names them", "")
	}
	r.f.begin(r.s, len(inputs))
	return r.run(ctx, inputs)
}

// maxBadInputs is how many inputs that cannot be used are named.
const maxBadInputs = 3

// inputDirs returns where the inputs of the target lie.
func (s *subject) inputDirs() fuzztarget.Dirs {
	testdata := filepath.Join("testdata", "fuzz", s.fuzz)
	d := fuzztarget.Dirs{
		Found:   filepath.Join(s.target.Go.Cache, "fuzz", filepath.FromSlash(s.target.Path), s.fuzz),
		Failing: filepath.Join(s.target.Dir, testdata),
	}
	if s.outdir != "" {
		d.Found = filepath.Join(s.dir, s.fuzz)
	}
	d.All = []string{d.Failing, d.Found}
	if !s.ownsTestdata() {
		d.Failing = filepath.Join(s.dir, testdata)
		d.All = append(d.All, d.Failing)
	}
	return d
}

// run runs the inputs once. Those that fail are findings, and nothing to build on.
func (r *targetRecorder) run(ctx context.Context, inputs []input) error {
	if r.s.listed > 0 {
		return r.read(ctx, inputs)
	}
	list := make([]seq.Sequence, len(inputs))
	for i := range inputs {
		list[i] = inputs[i].steps
	}
	_, err := replay.All(ctx, r.s.config(r.spawn), list, func(i int, res replay.Shown) {
		in := &inputs[i]
		switch {
		case res.Error != nil:
			r.f.out.Warn(fmt.Sprintf("%s: %v", in.Name, res.Error), "")
		case res.Verdict != nil && res.Verdict.Tier != engine.Illegal:
			r.quiet = append(r.quiet, res.Verdict.Signature.String())
			if r.silenced(res.Verdict.Signature) || r.suppressed(res.Verdict) {
				return
			}
			r.outside[res.Verdict.Tier]++
			f := engine.Finding{Verdict: *res.Verdict, Steps: in.steps, Original: in.steps}
			r.print(f, in.File, "")
		default:
			r.entries = append(r.entries, in.steps)
			r.slowest = max(r.slowest, res.Took)
		}
	})
	return err
}

// patience returns how long an input may take before it counts as hanging: some time
// longer than all that the run began with.
func (r *targetRecorder) patience() time.Duration { return slowerThanSeeds * r.slowest }

const slowerThanSeeds = 4

// read has a test that lists its operations read and run the inputs. Failing ones
// are minimized and kept where go test finds them, the first of each cause.
func (r *targetRecorder) read(ctx context.Context, inputs []input) error {
	texts := make([]string, len(inputs))
	for i := range inputs {
		texts[i] = inputs[i].text
	}
	c := r.s.config(r.spawn)
	return replay.Inputs(ctx, c, texts, func(i int, res replay.Shown) {
		in := &inputs[i]
		switch {
		case res.Error != nil:
			r.f.out.Warn(fmt.Sprintf("%s: %v", in.Name, res.Error), "")
		case res.Verdict != nil && res.Verdict.Tier != engine.Illegal:
			f := engine.Finding{Verdict: *res.Verdict, Steps: res.Steps, Original: res.Steps}
			if slices.Contains(r.quiet, f.Verdict.Signature.String()) || r.silenced(f.Verdict.Signature) {
				return
			}
			r.quiet = append(r.quiet, f.Verdict.Signature.String())
			r.outside[f.Verdict.Tier]++
			f = confirm.Minimize(c, f)
			r.print(f, r.keepFailing(f, in.File), "")
		default:
			r.entries = append(r.entries, res.Steps)
		}
	})
}

// Entry implements [coordinator.Reporter].
func (r *targetRecorder) Entry(e engine.Entry) {
	if len(e.Sides) == 0 {
		return // kept for a value: a target makes none
	}
	if _, err := fuzztarget.Write(r.corpus, r.s.inputFile(e.Steps)); err != nil {
		r.Warn(err.Error())
		return
	}
	r.added++
}

// Finding implements [coordinator.Reporter].
func (r *targetRecorder) Finding(f engine.Finding) {
	if r.suppressed(&f.Verdict) {
		r.outside[f.Verdict.Tier]--
		return
	}
	r.print(f, r.keepFailing(f, ""), "")
}

// keepFailing writes the input of a finding where go test looks for inputs that
// fail, unless it has been read from there. If that cannot be written, such as in a module that is
// read-only, it goes to the inputs found. It returns the name of the file, empty if there is none.
func (r *targetRecorder) keepFailing(f engine.Finding, file string) string {
	dir := r.dirs.Failing
	if r.s.listed > 0 && f.Verdict.Tier < engine.Panic {
		dir = r.dirs.Found // go test does not fail for it
	}
	if file != "" && filepath.Dir(file) == dir {
		return file
	}
	for _, dir := range []string{dir, r.dirs.Found} {
		file, err := fuzztarget.Write(dir, r.s.inputFile(f.Steps))
		if err == nil {
			return file
		}
		r.Warn(err.Error())
	}
	return ""
}

// inputFile returns the file that holds a call of the target, or the text of a sequence.
func (s *subject) inputFile(steps seq.Sequence) []byte {
	if s.listed > 0 {
		return fuzztarget.Sequence(s.table, steps)
	}
	return fuzztarget.Call(s.table, steps)
}

// suppressionDir is where the suppressions of a fuzz target are that were imported.
func (s *subject) suppressionDir() string {
	return filepath.Join(s.dir, gofuzz.Suppressions, s.fuzz)
}

// suppressed reports whether go-fuzz has silenced a finding, and records that it has
// shown.
func (r *targetRecorder) suppressed(v *engine.Verdict) bool {
	if len(r.suppressions) == 0 {
		return false
	}
	crash := fuzztarget.Crash(r.s.table, v, len(r.s.goFuzz) > 0)
	for i := range r.suppressions {
		if r.suppressions[i].Silences(crash) {
			r.muted[v.Signature] = true
			return true
		}
	}
	return false
}
