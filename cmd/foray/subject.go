package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/twin"
	"foray.test/cmd/internal/untested"
	"foray.test/cmd/internal/usage"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/instrument"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/confine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
	"foray.test/harness/blame"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
)

// subject is a package under test, ready to run.
type subject struct {
	*common
	target  *build.Target
	version string
	worker  *build.Worker
	table   *seq.Table
	pool    *engine.Pool
	stamp   string // under which the cache has the worker
	found   analysis
	testUse
	judged  map[string]bool // functions with a finding judged false; nil until it is wanted
	store   *store.Store
	dir     string // of the store
	claimed bool   // the store is locked by this process
	existing
	free   bool // its processes may write anywhere
	versus bool // it is one of two versions that are compared
	listed int  // … if it lists its operations: how many steps a sequence has at most
}

// testUse is the use that the tests make of the package.
type testUse struct {
	usage func() *usage.Usage // returns it when the source has been read; nil if it is not
	ran   *usage.Usage        // … when they run; nil if it is not known
	tests *usage.Kinds        // see kinds; nil until it is wanted
	// checked are the tests with their types, if the table has wanted them.
	checked []load.Tests
}

// existing is the target of another fuzzer that a subject is, if it is one.
type existing struct {
	fuzz       string     // its name
	goFuzz     []string   // … all go-fuzz functions of the package, if it is one of them
	dictionary *seq.Table // … from which its table is made
}

func newSubject(target *build.Target, o *common) *subject {
	return &subject{common: o, target: target, version: target.Version(), free: o.unconfined}
}

// analysis is the knowledge about a package besides its table. It is kept with the
// worker, so that a later start analyses nothing if nothing has changed.
type analysis struct {
	Excluded    []seq.Excluded
	Unreachable []catalog.Unreachable
	Members     []string
	Conditions  []coverage.Condition
	Sides       int
	Alone       bool `json:",omitempty"` // no other package of its module is instrumented
	Files       []report.File
	Problems    []string     // of contracts in the tests: see catalog.Catalog
	Usage       *usage.Usage `json:",omitempty"`
	Kept        []string     `json:",omitempty"` // see build.Target
	Small       []string     `json:",omitempty"` // their functions, which make small values
	// Of the older of two versions:
	Gone    []gone              `json:",omitempty"`
	Changed map[string][]string `json:",omitempty"` // see versions.Config
}

// prepare makes the package of target ready: from the cache if nothing changed,
// or by finding its operations, rewriting its sources and building its worker.
func prepare(ctx context.Context, target *build.Target, o *common) (*subject, error) {
	s := newSubject(target, o)
	s.stamp = stampOf(target, o)
	if w, extra, ok := build.Lookup("", s.stamp); ok && json.Unmarshal(extra, &s.found) == nil {
		s.worker, s.target.Kept = w, s.found.Kept
		return s, s.readTable()
	}
	o.out.Stage("loading " + target.Path)
	pkg, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	if !callable(s.table) {
		hint := "foray list " + target.Path + " says what is excluded and why"
		if o.ops != nil || o.skip != nil {
			hint = "foray list " + target.Path + " tells the names that -ops and -skip choose from, and what only -allow lets be called"
		}
		return nil, &load.Error{Place: target.Path, Msg: nothingToCall, Hint: hint}
	}
	s.readUsage(ctx, pkg)
	return s, s.compile(ctx, pkg)
}

// nothingToCall says that a package offers nothing, as most commands do.
const nothingToCall = "no exported operation to call"

// stampOf returns a key that changes with everything that the worker of a target
// depends on.
func stampOf(target *build.Target, o *common) string {
	return target.Stamp(version(), fmt.Sprint(o.ops), fmt.Sprint(o.skip), fmt.Sprint(o.allow), fmt.Sprint(o.use.of), fmt.Sprint(o.use.mode == usageOff))
}

// find loads the package and finds its operations.
func (s *subject) find(ctx context.Context) (*load.Package, error) {
	pkg, err := load.One(ctx, s.target)
	if err != nil {
		return nil, err
	}
	pkg, tests, err := s.withTwins(ctx, pkg)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Find(catalog.Input{
		Types: pkg.Types, Fset: pkg.Fset, Files: pkg.Files, Info: pkg.Info, TestFiles: tests, Importer: pkg.Importer,
		Ops: s.ops, Skip: s.skip, Allow: s.allow, Encodings: s.versus, Handed: s.handed(ctx, pkg),
		Platform: [2]string{pkg.Go.Settings["GOOS"], pkg.Go.Settings["GOARCH"]},
	})
	if err != nil {
		return nil, &load.Error{Place: s.target.Path, Msg: err.Error()}
	}
	s.table = &c.Table
	s.found = analysis{Excluded: c.Excluded, Unreachable: c.Unreachable, Members: c.Members, Problems: c.Problems, Kept: s.target.Kept, Small: smallFuncs(pkg, s.target.Kept)}
	return pkg, nil
}

// handed returns what finds the types and functions that only tests have, nil if the table
// shall not depend on the tests. Two versions that are compared have tests of their own.
func (s *subject) handed(ctx context.Context, pkg *load.Package) func() catalog.Handed {
	if s.use.mode == usageOff || s.versus || s.fuzz != "" {
		return nil
	}
	return func() catalog.Handed {
		s.checked = pkg.CheckTests(ctx)
		return usage.Handed(pkg, s.checked)
	}
}

// withTwins returns the package with the declarations of the files of foray twin among its
// tests, which workers link, and the other tests. Files that do not compile are left out.
func (s *subject) withTwins(ctx context.Context, pkg *load.Package) (*load.Package, []*ast.File, error) {
	s.target.Kept = nil
	var kept []string
	var others []*ast.File
	for _, f := range pkg.TestFiles {
		if twin.Written(f) && f.Name.Name == pkg.Name {
			kept = append(kept, pkg.Fset.Position(f.Pos()).Filename)
		} else {
			others = append(others, f)
		}
	}
	if len(kept) == 0 || s.noTwins || s.versus || !s.target.Own() || len(s.target.CgoFiles) > 0 {
		return pkg, others, nil
	}
	with, err := pkg.WithTests(ctx, func(f *ast.File) bool { return !twin.Written(f) })
	if err != nil {
		return nil, nil, err
	}
	if len(with.TypeErrors) > 0 {
		e := with.TypeErrors[0]
		at := pkg.Fset.Position(e.Pos)
		hint := "foray twin, or foray solve -seeds, writes the file anew"
		if strings.Contains(e.Msg, "could not import foray.test/") {
			hint = "the module must require foray.test: foray twin prints the command"
		}
		s.out.Warn(fmt.Sprintf("%s:%d: %s", s.out.Relative(at.Filename), at.Line, e.Msg), hint+"; without it, no sequence begins with small structures")
		return pkg, others, nil
	}
	with.Files, with.Sources = pkg.Files, pkg.Sources
	s.target.Kept = kept
	return with, others, nil
}

// smallFuncs returns the exported functions of some files of a package.
func smallFuncs(pkg *load.Package, files []string) (names []string) {
	scope := pkg.Types.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if ok && fn.Exported() && slices.Contains(files, pkg.Fset.Position(fn.Pos()).Filename) {
			names = append(names, name)
		}
	}
	return names
}

// callable reports whether a table has anything of the API to call.
func callable(t *seq.Table) bool {
	impossible := engine.Impossible(t)
	for i := range t.Ops {
		if t.Ops[i].API && !impossible[i] {
			return true
		}
	}
	return false
}

// compile instruments and builds. If the instrumented source does not compile, the
// package alone is instrumented, and then nothing.
func (s *subject) compile(ctx context.Context, pkg *load.Package) error {
	rewritten, err := s.rewrite(pkg, false)
	if err != nil {
		return err
	}
	err = s.buildWorker(ctx, rewritten)
	if _, ok := errors.AsType[*build.RewriteError](err); ok && len(s.target.Siblings) > 1 {
		s.found.Alone = true
		if rewritten, err = s.rewrite(pkg, false); err == nil {
			err = s.buildWorker(ctx, rewritten)
		}
	}
	if re, ok := errors.AsType[*build.RewriteError](err); ok {
		s.out.Note(fmt.Sprintf("%s: counters do not compile, testing without: %v", pkg.Path, re))
		err = s.buildWorker(ctx, &instrument.Result{})
	}
	if ce, ok := errors.AsType[*build.CompileError](err); ok {
		return &load.Error{Place: ce.Pos, Msg: ce.Msg, Hint: "the package must compile: go vet shows everything"}
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &load.Error{Msg: err.Error(), Hint: placeHint(pe.Path)}
	}
	if err != nil {
		return err
	}
	return s.readTable()
}

// placeHint returns the hint for a file of a build that cannot be read or written.
func placeHint(file string) string {
	if cache, err := os.UserCacheDir(); err == nil && within(cache, file) {
		return "workers are built and kept in the user's cache directory, which must be writable"
	}
	if within(os.TempDir(), file) {
		return tempHint
	}
	return "the sources of the package must stay as they are while its worker is built"
}

// within reports whether file is dir or below it.
func within(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// buildWorker builds the worker with instrumented sources.
func (s *subject) buildWorker(ctx context.Context, rewritten *instrument.Result) (err error) {
	s.found.Conditions, s.found.Sides = rewritten.Conditions, rewritten.Sides
	s.worker, err = build.Build(ctx, build.Config{
		Target: *s.target, Table: s.table, Rewritten: rewritten.Sources, Sides: rewritten.Sides, Conditions: rewritten.Conditions,
		Fuzz: s.fuzz != "", GoFuzz: s.goFuzz, Stamp: s.stamp, Progress: s.out.Stage,
		Extra: func() ([]byte, error) {
			if s.usage != nil {
				s.found.Usage = s.usage()
			}
			return json.Marshal(s.found)
		},
	})
	return err
}

// buildAnalysis builds the analysis form of the worker, or finds it in the cache. It
// has the table, the operations and the conditions of s.worker. There is none if the
// source has changed since s.worker was built.
func (s *subject) buildAnalysis(ctx context.Context) (*build.Worker, error) {
	if len(s.found.Conditions) == 0 {
		return nil, fmt.Errorf("%s: no conditions to analyse", s.target.Path)
	}
	stamp := s.stamp + "-analysis"
	if w, _, ok := build.Lookup("", stamp); ok {
		return w, nil
	}
	pkg, err := load.One(ctx, s.target)
	if err != nil {
		return nil, err
	}
	rewritten, err := s.rewrite(pkg, true)
	if err != nil {
		return nil, err
	}
	table, now := s.table, stampOf(s.target, s.common)
	if s.fuzz != "" {
		table, now = s.dictionary, s.targetStamp()
	}
	if now != s.stamp || len(rewritten.Conditions) != len(s.found.Conditions) || rewritten.Sides != s.found.Sides {
		return nil, &load.Error{Place: s.target.Path, Msg: "source has changed since the start"}
	}
	return build.Build(ctx, build.Config{
		Target: *s.target, Table: table, Rewritten: rewritten.Sources, Sides: rewritten.Sides, Conditions: rewritten.Conditions,
		Fuzz: s.fuzz != "", GoFuzz: s.goFuzz, Normal: s.worker, Stamp: stamp,
	})
}

// readTable reads the table beside the worker.
func (s *subject) readTable() error {
	data, err := os.ReadFile(s.worker.TablePath)
	if err != nil {
		return err
	}
	if s.table, err = seq.DecodeTable(data); err != nil {
		return fmt.Errorf("table %s: %w", s.worker.TablePath, err)
	}
	s.pool = engine.NewPool(s.table)
	return nil
}

// storeDir returns where the package's corpus is.
func (s *subject) storeDir() (string, error) {
	outdir, err := s.absOutdir()
	return store.Dir(s.target.Go.Cache, s.target.Path, s.version, outdir), err
}

// absOutdir returns -outdir as an absolute path, empty if it is not set.
func (c *common) absOutdir() (string, error) {
	if c.outdir == "" {
		return "", nil
	}
	return filepath.Abs(c.outdir)
}

// openStore opens the package's corpus.
func (s *subject) openStore() error {
	var err error
	if s.dir, err = s.storeDir(); err != nil {
		return err
	}
	st, err := store.Open(s.dir)
	if err != nil {
		return &load.Error{Place: s.out.Relative(s.dir), Msg: err.Error(), Hint: "-outdir names another place for corpus and findings"}
	}
	s.store = st
	for _, dir := range st.Exposed() {
		s.out.Warn(s.out.Relative(dir)+": other users may write to this directory of the corpus", "chmod o-w, or -outdir names another place")
	}
	return nil
}

// claim locks the store, or warns that another process works on it. Nothing is lost then:
// entries and findings are only ever added.
func (s *subject) claim() (release func()) {
	unlock, err := s.store.TryLock()
	if err == nil {
		s.claimed = true
		return unlock
	}
	if le, ok := errors.AsType[*store.LockedError](err); ok {
		who := "another foray"
		if le.PID != 0 {
			who = fmt.Sprintf("another foray (process %d)", le.PID)
		}
		s.out.Warn(fmt.Sprintf("%s: %s works on the same corpus; what both find is kept", s.target.Path, who), "-outdir gives a run a corpus of its own")
	} else {
		s.out.Warn(fmt.Sprintf("%s: %v", s.target.Path, err), "")
	}
	return func() {}
}

// spawn returns how to start a worker, in the directory dir. A worker with a fuzz
// target starts in the directory of the package, as in go test.
func (s *subject) spawn(dir string) worker.Spawn { return s.spawnWorker(s.worker, dir) }

func (s *subject) spawnWorker(w *build.Worker, dir string) worker.Spawn {
	sp := worker.Spawn{
		Binary: w.Path, Table: w.TablePath, Dir: dir, Package: s.target.Dir, Around: w.Around, Unconfined: s.free,
	}
	if s.fuzz != "" {
		sp.Table, sp.Dir, sp.Temp, sp.Args = filepath.Join(dir, targetTable), s.target.Dir, dir, append(s.targetArgs(dir), "-test.fuzzworker")
	}
	return sp
}

// spawnAnalysis builds the analysis build, if it is not in the cache, and returns
// how to start a worker of it. The build gives way to workers.
func (s *subject) spawnAnalysis(ctx context.Context, dir string) (worker.Spawn, error) {
	w, err := s.buildAnalysis(build.Behind(ctx))
	if err != nil {
		return worker.Spawn{}, err
	}
	sp := s.spawnWorker(w, dir)
	sp.Conditions = w.ConditionsPath
	return sp, nil
}

// sides is how many branch sides the worker counts: never zero.
func (s *subject) sides() int { return max(s.found.Sides, 1) }

// findTargets lists the packages that the arguments name.
func findTargets(ctx context.Context, o *common) ([]*build.Target, error) {
	o.out.Stage("looking for packages")
	defer o.out.Quiet()
	return load.List(ctx, load.Config{Flags: o.build, Env: o.env, Patterns: o.patterns()})
}

// openSubject makes a package ready and opens its store.
func openSubject(ctx context.Context, target *build.Target, o *common) (*subject, error) {
	defer o.out.Quiet()
	if err := runsHere(target.Go.Settings); err != nil {
		return nil, err
	}
	if haveGuard && o.temps.goToo {
		startGuard()
	}
	o.warnUnconfined()
	s, err := prepare(ctx, target, o)
	if err != nil {
		return nil, err
	}
	return s, s.openStore()
}

// warnOfUntested warns if a run calls half of the package's functions and methods or fewer. It
// also warns if most of them need the result of a function that can be given nothing but nil.
func (s *subject) warnOfUntested() {
	confined := confine.Supported() && !s.free
	if msg, hint := untested.Skipped(s.found.Excluded, len(s.found.Members), s.name(), confined); msg != "" {
		s.out.Warn(s.target.Path+": "+msg, hint)
	}
	if msg := untested.NilOnly(s.table, len(s.found.Members)); msg != "" {
		s.out.Warn(s.target.Path+": "+msg, "a fuzz test as foray init writes it can list a function that makes one")
	}
}

var unconfinedOnce sync.Once

// warnUnconfined warns, once, if nothing confines calls on this system.
func (c *common) warnUnconfined() {
	if msg := untested.Unconfined(runtime.GOOS, confine.Supported()); msg != "" && !c.unconfined {
		unconfinedOnce.Do(func() { c.out.Warn(msg, "") })
	}
}

// runsHere reports as an error that the go command builds for another system.
func runsHere(settings map[string]string) error {
	for _, s := range []struct{ name, here string }{{"GOOS", runtime.GOOS}, {"GOARCH", runtime.GOARCH}} {
		if want := settings[s.name]; want != "" && want != s.here {
			return &load.Error{Place: s.name + "=" + want, Msg: "foray runs the calls, and this system is " + s.here, Hint: "unset " + s.name + "; foray list works for other systems"}
		}
	}
	return nil
}

// corpus returns the corpus of the package. Its sequences run in workers that spawn starts.
func (s *subject) corpus(spawn worker.Spawn) *corpusadmin.Corpus {
	return &corpusadmin.Corpus{
		Path: s.target.Path, Name: s.name(), Dir: s.dir, Store: s.store, Table: s.table,
		NewBench: func() corpusadmin.Bench { return replay.NewBench(s.config(spawn)) },
		Partial:  s.ops != nil || s.skip != nil || s.use.mode == usageOff, Out: s.out,
	}
}

// config returns the configuration for running sequences of the package.
func (s *subject) config(spawn worker.Spawn) replay.Config {
	return replay.Config{Spawn: spawn, Table: s.table, Pool: s.pool, Sides: s.sides(), JudgeDeath: s.judgeDeath}
}

// eachPackage does f for each package that the arguments name, and prints its errors. It
// returns the exit code, and an error if no package was found.
func (c *common) eachPackage(ctx context.Context, f func(*build.Target) error) (int, error) {
	targets, err := findTargets(ctx, c)
	return c.each(ctx, targets, err, f)
}

// each does f for some packages. listErr is the error of finding others.
func (c *common) each(ctx context.Context, targets []*build.Target, listErr error, f func(*build.Target) error) (int, error) {
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs, none := c.out.Errors(listErr), 0
	for i, target := range targets {
		err := f(target)
		target.Forget()
		if offersNothing(err) {
			none++
		}
		if ctx.Err() != nil && (err != nil || i < len(targets)-1) {
			errs += c.out.Errors(errors.New("interrupted"))
			break
		}
		errs += c.failed(err, len(targets))
	}
	if errs > 0 || none > 0 && none == len(targets) {
		return exitUsage, nil
	}
	return exitClean, nil
}

// failed prints the error of one of some packages, and returns the number of failures. Beside
// others, one that offers nothing to call is passed over, as go test does with one without tests.
func (c *common) failed(err error, packages int) int {
	if packages > 1 && offersNothing(err) {
		e := err.(*load.Error)
		c.out.Errors(&load.Error{Place: e.Place, Msg: e.Msg})
		return 0
	}
	return c.out.Errors(err)
}

func offersNothing(err error) bool {
	e, ok := err.(*load.Error)
	return ok && e.Msg == nothingToCall
}

// judgeDeath judges the end of a worker, or of a sequence that it gave up. If a
// contract of foray does not return and its call is unknown, that is no evidence
// against the package.
func (s *subject) judgeDeath(steps seq.Sequence, d worker.Death) engine.Verdict {
	op := steps[len(steps)-1].Op
	how := blame.Ending{Kind: d.Kind(), Code: d.ExitCode, Text: d.Dump(), Goroutine: d.Goroutine, Goexit: d.Goexit, Signal: d.Signal}
	if d.Oracle != engine.NoOracle {
		v := engine.Verdict{Op: op, Message: "a contract does not return after " + s.table.Ops[op].Short}
		return *v.Settle(engine.Ruling{Rule: "judging"}, engine.Ruling{})
	}
	v := blame.Death(blame.Facts{Table: s.table, Op: op, Steps: steps}, how)
	if s.fuzz != "" && s.listed == 0 {
		v.Claim = engine.ClaimOwn
		v.Settle(engine.Ruling{Tier: engine.Error, Rule: "fuzz function"}, engine.Ruling{}) // no input is an excuse
	}
	return v
}
