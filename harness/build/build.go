package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	foray "foray.test"
	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/harness/owned"
)

// Config describes the worker to build.
type Config struct {
	Target Target
	// Table lists the operations.
	Table *seq.Table
	// Rewritten holds the instrumented sources of the package by absolute file
	// name. They import ProbePath.
	Rewritten map[string][]byte
	Sides     int // number of condition sides in Rewritten
	// Fuzz says that the worker has a fuzz target instead of adapters: it links
	// the test files of the package and runs harness/target.
	Fuzz bool
	// GoFuzz, with Fuzz, are functions of the package as go-fuzz takes them. The
	// worker has a target for each, named by GoFuzzTarget, in place of the test files.
	GoFuzz []string
	// Cover builds with the go command's own counters of statements, and -cover's
	// mode: the worker leaves them in the directory that GOCOVERDIR names.
	Cover bool
	// Conditions are the conditions of Rewritten.
	Conditions []coverage.Condition
	// Normal asks for the analysis build that accompanies a worker of the same
	// table. Rewritten is then in the analysis form. The adapters and Dropped
	// are those of Normal.
	Normal *Worker
	// Cache is the directory that holds workers; empty: "foray" in the user's
	// cache directory.
	Cache string
	// Stamp, if set, is the key under which Lookup finds the worker again.
	// Extra returns the caller's data to return with it. It is called once the worker
	// is built; nil means no data.
	Stamp string
	Extra func() ([]byte, error)
	// Runtime replaces the sources that workers link; nil: the sources of this
	// program.
	Runtime map[string][]byte
	// Progress, if set, is called before slow steps.
	Progress func(string)
}

// A Worker is a test binary that links the package under test, its adapters and
// the harness. It runs the Main of harness/process.
type Worker struct {
	Path      string // of the binary
	TablePath string // of the table, encoded, beside it
	// ConditionsPath is the file of the table of conditions, as JSON.
	ConditionsPath string
	Key            string // changes when the worker does
	// Dropped are the operations that did not compile.
	Dropped []Dropped
	// Around says that the runtime of the worker uses the package under test
	// itself: counters are to be taken around the steps.
	Around bool
	// Dir is the directory that stack traces of the worker name for the package.
	// It differs from Target.Dir in the module cache.
	Dir string
}

// Dropped is an operation without an adapter.
type Dropped struct {
	Op     seq.OpID
	Name   string // of the operation
	Reason string // the compiler's message, or why it cannot be written
}

// rounds bounds the number of compilations of the generated files. There are
// several because errors in the types of the package hide errors in the
// adapters, and a dropped import breaks its users.
const rounds = 8

type builder struct {
	Config
	runtime    map[string][]byte
	table      []byte
	conditions []byte
	gen        *generator
	tests      bool // it builds the package's own tests, and no adapter
}

// Build builds a worker, or finds it in the cache. It leaves out and lists
// operations with adapters that do not compile. The error is a *CompileError if
// the package itself does not compile, a *RewriteError if only its rewritten
// source does not.
func Build(ctx context.Context, c Config) (*Worker, error) {
	b := &builder{Config: c}
	var err error
	if b.Cache, err = cacheDir(c.Cache); err != nil {
		return nil, err
	}
	if b.Runtime == nil {
		b.Runtime = foray.Runtime()
	}
	if !b.Fuzz {
		b.Runtime = withoutTarget(b.Runtime)
	}
	if b.runtime, err = runtimeSources(b.Runtime, b.Sides, b.Normal != nil); err != nil {
		return nil, err
	}
	if b.table, err = b.Table.Encode(); err != nil {
		return nil, fmt.Errorf("table of %s: %w", b.Target.Path, err)
	}
	if b.conditions, err = json.Marshal(b.Conditions); err != nil {
		return nil, fmt.Errorf("conditions of %s: %w", b.Target.Path, err)
	}
	key := b.key()
	w, ok := openWorker(b.Cache, key)
	if !ok {
		if w, err = b.build(ctx, key); err != nil {
			return nil, fmt.Errorf("build worker for %s: %w", b.Target.Path, err)
		}
		trim(b.Cache)
	}
	if b.Stamp != "" {
		var extra []byte
		if b.Extra != nil {
			if extra, err = b.Extra(); err != nil {
				return nil, err
			}
		}
		if err := remember(b.Cache, b.Stamp, key, extra); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// key hashes everything that the worker is built from.
func (b *builder) key() string {
	d := newDigest()
	b.Target.describe(d)
	d.files("runtime", b.runtime)
	d.field("table", string(b.table))
	d.field("conditions", string(b.conditions))
	d.files("rewritten", b.Rewritten)
	d.field("fuzz", strconv.FormatBool(b.Fuzz))
	if len(b.GoFuzz) > 0 {
		d.field("go-fuzz", b.GoFuzz...)
	}
	if b.Cover {
		d.field("cover")
	}
	if b.Normal != nil {
		d.field("normal", b.Normal.Key)
	}
	return d.sum()
}

// stamp hashes a few strings.
func (b *builder) stamp(fields ...string) string {
	d := newDigest()
	d.field("", fields...)
	return d.sum()
}

func (b *builder) progress(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf(format, args...))
	}
}

// buildPrefix begins the names of the directories of builds.
const buildPrefix = "build-"

// build builds the worker in a directory of its own and moves it to its place.
func (b *builder) build(ctx context.Context, key string) (*Worker, error) {
	tmpRoot := filepath.Join(b.Cache, "tmp")
	workers := filepath.Join(b.Cache, "worker")
	for _, dir := range []string{tmpRoot, workers} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	owned.Sweep(tmpRoot, buildPrefix)
	tmp, release, err := owned.Make(tmpRoot, buildPrefix)
	if err != nil {
		return nil, err
	}
	defer release()
	out, files := filepath.Join(tmp, "out"), filepath.Join(tmp, "files")
	if err := os.Mkdir(out, 0o777); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	around := b.around(ctx)
	l := &layer{dir: files, replace: make(map[string]string)}
	o, err := b.prepare(ctx, l)
	if err != nil {
		return nil, err
	}
	m := meta{Dir: o.dir}
	if b.Normal != nil {
		m.Dropped, err = b.Normal.Dropped, b.compileAgain(ctx, l, o, out)
	} else {
		b.gen = newGenerator(b.Table, &b.Target, key)
		b.progress("building worker for %s", b.Target.Path)
		m.Dropped, err = b.compile(ctx, l, o, out)
	}
	if err != nil {
		return nil, err
	}
	m.Around = <-around
	if err := b.describe(out, m); err != nil {
		return nil, err
	}
	renameErr := os.Rename(out, filepath.Join(workers, key))
	w, ok := openWorker(b.Cache, key) // another process may have been faster
	if !ok {
		return nil, fmt.Errorf("keep worker: %w", renameErr)
	}
	return w, nil
}

// around finds out, beside the build, whether the worker itself uses the package.
func (b *builder) around(ctx context.Context) <-chan bool {
	around := make(chan bool, 1)
	if b.Normal != nil {
		around <- b.Normal.Around
	} else {
		go func() { around <- b.usedByRuntime(ctx) }()
	}
	return around
}

// describe writes the files that stand beside a worker's binary in out.
func (b *builder) describe(out string, m meta) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(out, tableFile), b.table, 0o666),
		os.WriteFile(filepath.Join(out, conditionsFile), b.conditions, 0o666),
		os.WriteFile(filepath.Join(out, metaFile), data, 0o666),
	)
}

// compile generates the adapters and builds into out. It leaves out adapters
// that do not compile until the rest does.
func (b *builder) compile(ctx context.Context, l *layer, o *layout, out string) ([]Dropped, error) {
	all := false
	for range rounds {
		files := b.generate()
		ds, err := b.compileOnce(ctx, l, o, files, out, all)
		if err == nil {
			return b.gen.droppedOps(), keepGenerated(out, files)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !b.gen.learn(ds) {
			return nil, b.explain(ctx, l, o, ds, err)
		}
		b.progress("leaving out %d operations of %s that do not compile", len(b.gen.dropped), b.Target.Path)
		all = true
	}
	return nil, fmt.Errorf("adapters do not compile after %d rounds", rounds)
}

// compileAgain builds with the adapters of the normal worker.
func (b *builder) compileAgain(ctx context.Context, l *layer, o *layout, out string) error {
	files, err := b.Normal.generated()
	if err != nil {
		return err
	}
	ds, err := b.compileOnce(ctx, l, o, files, out, false)
	if err != nil && ctx.Err() == nil {
		return b.explain(ctx, l, o, ds, err)
	}
	return err
}

// compileOnce builds with the given generated files, and returns the compiler's
// messages.
func (b *builder) compileOnce(ctx context.Context, l *layer, o *layout, files map[string][]byte, out string, all bool) ([]diagnostic, error) {
	delete(l.replace, filepath.Join(o.dir, typesFile))
	for name, src := range files {
		if err := l.put(filepath.Join(o.dir, name), src); err != nil {
			return nil, err
		}
	}
	overlayFile, err := l.write()
	if err != nil {
		return nil, err
	}
	g := goCmd{bin: o.bin, dir: b.Target.WorkDir, env: o.env, group: true}
	stdout, stderr, err := g.output(ctx, b.arguments(o, overlayFile, filepath.Join(out, binaryFile), all)...)
	if err != nil {
		return diagnostics(string(stdout) + string(stderr)), err
	}
	return nil, nil
}

// droppedOps lists the operations without an adapter.
func (g *generator) droppedOps() []Dropped {
	var list []Dropped
	for i := range g.table.Ops {
		if why, gone := g.dropped[seq.OpID(i)]; gone {
			list = append(list, Dropped{seq.OpID(i), g.table.Ops[i].Name, why})
		}
	}
	return list
}

// generate returns the files to add to the package.
func (b *builder) generate() map[string][]byte {
	switch {
	case len(b.GoFuzz) > 0:
		return goFuzzFile(&b.Target, b.GoFuzz)
	case b.Fuzz:
		return nil
	}
	return b.gen.generate()
}

// withoutDWARF returns the flag that leaves out the tables of debuggers, unless the user has
// flags for the linker. Linking then takes two thirds of the time.
func withoutDWARF(flags []string, tc *Toolchain) []string {
	if flagValue(flags, tc, "ldflags") != "" {
		return nil
	}
	return []string{"-ldflags=-w"}
}

// arguments returns the command line of the go command. With all, the compiler
// lists all errors instead of ten.
func (b *builder) arguments(o *layout, overlayFile, binary string, all bool) []string {
	t := &b.Target
	args := []string{"test", "-c", "-vet=off", "-buildvcs=false"}
	args = append(append(args, withoutDWARF(t.Flags, &t.Go)...), o.flags...)
	if b.Cover {
		args = append(args, "-cover", "-coverpkg="+t.Path)
	}
	errorsFlag := ""
	if all {
		errorsFlag = "-e"
		args = append(args, "-gcflags=-e")
	}
	if t.Below("go1.20") && len(b.Rewritten) > 0 {
		// The probe is called through generic functions, some of them with interfaces
		// as keys of maps, which an old go line forbids. A line of the file itself would change more than that.
		args = append(args, fmt.Sprintf("-gcflags=%s=%s", t.Path, strings.TrimSpace(errorsFlag+" -lang=go1.20")))
	}
	return append(args, "-overlay="+overlayFile, "-o", binary, t.Path)
}

// explain finds out why the go command failed, when it was not for the adapters.
func (b *builder) explain(ctx context.Context, l *layer, o *layout, ds []diagnostic, cause error) error {
	t := &b.Target
	g := goCmd{dir: t.WorkDir, env: t.Env}
	args := append([]string{"build", "-buildvcs=false"}, t.Flags...)
	stdout, stderr, err := g.output(ctx, append(args, "-o", os.DevNull, "--", t.Path)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		ce := &CompileError{Path: t.Path, Msg: strings.TrimPrefix(err.Error(), "go build: ")}
		if d, ok := firstDiagnostic(string(stdout) + string(stderr)); ok {
			ce.Pos, ce.Msg = d.pos(), d.msg
		}
		return ce
	}
	for _, d := range ds {
		name := l.original(abs(d.file, t.WorkDir))
		if file := b.rewrote(name, o); file != "" {
			return &RewriteError{File: file, Line: d.line, Column: d.column, Msg: d.msg}
		}
	}
	if len(ds) > 0 && b.Fuzz {
		return &CompileError{Path: t.Path, Pos: ds[0].pos(), Msg: ds[0].msg} // in a test file
	}
	if len(ds) > 0 {
		return fmt.Errorf("%s: %s", ds[0].pos(), ds[0].msg)
	}
	return cause
}

// rewrote returns the file that the go command knows as name, if its source is rewritten.
func (b *builder) rewrote(name string, o *layout) string {
	for file := range b.Rewritten {
		if o.at(file) == name {
			return file
		}
	}
	return ""
}

// usedByRuntime reports whether the runtime of the worker uses the package under
// test, which only a package of the standard library can be.
func (b *builder) usedByRuntime(ctx context.Context) bool {
	t := &b.Target
	if t.Where != Std {
		return false
	}
	roots, err := standardImports(b.Runtime)
	if err != nil || len(roots) == 0 {
		return false
	}
	g := goCmd{dir: t.WorkDir, env: t.Env}
	out, _, err := g.output(ctx, append([]string{"list", "-deps", "-f={{.ImportPath}}", "--"}, roots...)...)
	if err != nil {
		return true // taking counters around steps is always right
	}
	return slices.Contains(strings.Fields(string(out)), t.Path)
}
