package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/rawinput"
	"foray.test/cmd/internal/text"

	"foray.test/cmd/internal/gofuzz"
	"foray.test/corpus/fuzzfile"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// input is one stored input of a fuzz target: the content of a file in go test's
// format, or an f.Add.
type input struct {
	name    string // for people
	file    string // empty for one of f.Add
	content []byte
	err     error        // why there is no content
	steps   seq.Sequence // the call that it stands for
	text    string       // … or the argument, of a test that lists its operations
}

// targetRecorder keeps the results of a run on a fuzz target as go test does. Inputs
// go to the cache of go test, failing ones to the testdata of the package, if the
// package is the user's.
type targetRecorder struct {
	*recorder
	dirs    inputDirs
	failing [engine.Tiers]int // by tier: seeds that fail, less findings that a suppression silences
	// suppressions are the crashes that the user's go-fuzz has silenced.
	suppressions []gofuzz.Crash
	slowest      time.Duration // input of those that do not
}

func newTargetRecorder(f *fuzzing, s *subject, dir string) *targetRecorder {
	r := &recorder{f: f, s: s, spawn: s.spawn(dir)}
	r.makeReady()
	dirs := s.inputDirs(f.goCache)
	r.corpus = dirs.found
	list, err := s.readSuppressions()
	if err != nil {
		r.Warn(err.Error())
	}
	return &targetRecorder{recorder: r, dirs: dirs, suppressions: list}
}

// begin gathers the first inputs of the run, those of the target itself first, and
// runs them. An input that fails is a finding already.
func (r *targetRecorder) begin(ctx context.Context, seeds []input) error {
	seeds, err := r.dirs.read(seeds)
	if err != nil {
		return err
	}
	var inputs []input
	seen := map[string]bool{}
	bad := 0
	for _, in := range seeds {
		var err error
		if r.s.listed > 0 {
			in.text, err = in.oneString()
		} else {
			in.steps, err = r.s.parseInput(in)
		}
		if err != nil {
			if bad++; bad <= maxBadInputs || r.f.verbose {
				r.f.out.Warn(fmt.Sprintf("%s: %v", in.name, err), "")
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

// readInputs reads the files of a directory, which need not be there.
func readInputs(dir string) ([]input, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var inputs []input
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		content, err := corpusadmin.ReadRegular(name, rawinput.MaxBytes)
		inputs = append(inputs, input{name: name, file: name, content: content, err: err})
	}
	return inputs, nil
}

// inputDirs are the directories of the inputs of a fuzz target.
type inputDirs struct {
	found   string   // for inputs that fuzzing finds
	failing string   // … if it fails
	all     []string // where inputs may lie, those two among them
}

func (s *subject) inputDirs(cache string) inputDirs {
	testdata := filepath.Join("testdata", "fuzz", s.fuzz)
	d := inputDirs{
		found:   filepath.Join(cache, "fuzz", filepath.FromSlash(s.target.Path), s.fuzz),
		failing: filepath.Join(s.target.Dir, testdata),
	}
	if s.outdir != "" {
		d.found = filepath.Join(s.dir, s.fuzz)
	}
	d.all = []string{d.failing, d.found}
	if !s.ownsTestdata() {
		d.failing = filepath.Join(s.dir, testdata)
		d.all = append(d.all, d.failing)
	}
	return d
}

// read adds the inputs of all directories to a list.
func (d *inputDirs) read(inputs []input) ([]input, error) {
	for _, dir := range d.all {
		list, err := readInputs(dir)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, list...)
	}
	return inputs, nil
}

// values returns the arguments that an input holds.
func (in *input) values() ([]fuzzfile.Value, error) {
	if in.err != nil {
		return nil, in.err
	}
	if len(in.content) > rawinput.MaxBytes {
		return nil, fmt.Errorf("%d bytes, want at most %d", len(in.content), rawinput.MaxBytes)
	}
	return fuzzfile.Parse(in.content)
}

// oneString returns the only argument that an input holds, a string.
func (in *input) oneString() (string, error) {
	values, err := in.values()
	if err == nil && (len(values) != 1 || values[0].Type != "string") {
		err = fmt.Errorf("%s, the first of type %s, want one string", text.Plural(len(values), "value"), values[0].Type)
	}
	if err != nil {
		return "", err
	}
	return values[0].Value.(string), nil
}

// parseInput reads an input as a call of the target.
func (s *subject) parseInput(in input) (seq.Sequence, error) {
	values, err := in.values()
	if err != nil {
		return nil, err
	}
	op := &s.table.Ops[0]
	if len(values) != len(op.Params) {
		return nil, fmt.Errorf("%s, want %d for %s", text.Plural(len(values), "value"), len(op.Params), signature(s.table))
	}
	step := seq.Step{}
	for i, v := range values {
		ty := op.Params[i]
		if want := s.table.Types[ty].Name; v.Type != want {
			return nil, fmt.Errorf("value %d has type %s, want %s for %s", i+1, v.Type, want, signature(s.table))
		}
		step.Args = append(step.Args, seq.Lit(s.pool.Intern(&seq.Literal{Type: ty, Value: v.Value})))
	}
	return seq.Sequence{step}, nil
}

// fileComment is the comment in a file of go test that foray has written: its name and the
// version of the text.
const fileComment = "foray 1"

// file returns the file that holds a call of the target, or the text of a sequence.
func (s *subject) file(steps seq.Sequence) []byte {
	if s.listed > 0 {
		return seq.AppendFuzzFile(nil, s.table.OneLine(steps), fileComment)
	}
	var values []fuzzfile.Value
	for _, a := range steps[0].Args {
		values = append(values, fuzzfile.Value{Type: s.table.Types[a.Lit.Type].Name, Value: a.Lit.Value})
	}
	return fuzzfile.Append(nil, values)
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
			r.f.out.Warn(fmt.Sprintf("%s: %v", in.name, res.Error), "")
		case res.Verdict != nil && res.Verdict.Tier != engine.Illegal:
			r.quiet = append(r.quiet, res.Verdict.Signature.String())
			if r.silenced(res.Verdict.Signature) || r.suppressed(res.Verdict) {
				return
			}
			r.failing[res.Verdict.Tier]++
			f := engine.Finding{Verdict: *res.Verdict, Steps: in.steps, Original: in.steps}
			r.print(f, in.file, "")
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
			r.f.out.Warn(fmt.Sprintf("%s: %v", in.name, res.Error), "")
		case res.Verdict != nil && res.Verdict.Tier != engine.Illegal:
			f := engine.Finding{Verdict: *res.Verdict, Steps: res.Steps, Original: res.Steps}
			if slices.Contains(r.quiet, f.Verdict.Signature.String()) || r.silenced(f.Verdict.Signature) {
				return
			}
			r.quiet = append(r.quiet, f.Verdict.Signature.String())
			r.failing[f.Verdict.Tier]++
			f = confirm.Minimize(c, f)
			r.print(f, r.keepFailing(f, in.file), "")
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
	if _, err := writeInput(r.corpus, r.s.file(e.Steps)); err != nil {
		r.Warn(err.Error())
		return
	}
	r.added++
}

// Finding implements [coordinator.Reporter].
func (r *targetRecorder) Finding(f engine.Finding) {
	if r.suppressed(&f.Verdict) {
		r.failing[f.Verdict.Tier]--
		return
	}
	r.print(f, r.keepFailing(f, ""), "")
}

// keepFailing writes the input of a finding where go test looks for inputs that
// fail, unless it has been read from there. It returns the name of the file.
func (r *targetRecorder) keepFailing(f engine.Finding, file string) string {
	dir := r.dirs.failing
	if r.s.listed > 0 && f.Verdict.Tier < engine.Panic {
		dir = r.dirs.found // go test does not fail for it
	}
	if file != "" && filepath.Dir(file) == dir {
		return file
	}
	file, err := writeInput(dir, r.s.file(f.Steps))
	if err != nil {
		r.Warn(err.Error())
	}
	return file
}

// writeInput writes an input under the name that its content gives it, and
// returns the name of the file.
func writeInput(dir string, content []byte) (string, error) {
	name := filepath.Join(dir, fuzzfile.Name(content))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(dir, ".input-")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(0o666), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return "", err
	}
	return name, nil
}
