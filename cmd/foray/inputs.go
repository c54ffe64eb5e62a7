package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foray.test/corpus/fuzzfile"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

// input is one stored input of a fuzz target: what a file of go test's format
// holds, or an f.Add.
type input struct {
	name    string // for people
	file    string // empty for one of f.Add
	content []byte
	text    string       // of one for a test that lists its operations: the argument
	steps   seq.Sequence // of another: the call
}

// maxInputBytes bounds inputs: what runs is journalled where there is little more room.
const maxInputBytes = 128 << 10

// targetRecorder keeps what a run on a fuzz target finds as go test does: inputs
// in its cache, failing ones in the testdata of the package, where that is the
// user's.
type targetRecorder struct {
	*recorder
	failDir string   // of failing inputs
	known   []string // signatures of seeds that fail
	failing [3]int   // … by tier
}

func newTargetRecorder(f *fuzzing, s *subject, dir string) *targetRecorder {
	r := &recorder{f: f, s: s, spawn: s.spawn(dir), warned: map[string]bool{}}
	r.corpus = filepath.Join(f.goCache, "fuzz", filepath.FromSlash(s.target.Path), s.fuzz)
	if f.options.outdir != "" {
		r.corpus = filepath.Join(s.dir, s.fuzz)
	}
	t := &targetRecorder{recorder: r, failDir: filepath.Join(s.dir, "testdata", "fuzz", s.fuzz)}
	if s.ownsTestdata(f.options) {
		t.failDir = filepath.Join(s.target.Dir, "testdata", "fuzz", s.fuzz)
	}
	return t
}

// begin gathers the inputs that the run begins with, those of the target itself
// first, and runs them: what fails is a finding already.
func (r *targetRecorder) begin(ctx context.Context, seeds []input) error {
	dirs := []string{filepath.Join(r.s.target.Dir, "testdata", "fuzz", r.s.fuzz), r.corpus}
	if r.failDir != dirs[0] {
		dirs = append(dirs, r.failDir)
	}
	for _, dir := range dirs {
		list, err := readInputs(dir)
		if err != nil {
			return err
		}
		seeds = append(seeds, list...)
	}
	var inputs []input
	seen := map[string]bool{}
	bad := 0
	for _, in := range seeds {
		key, err := r.s.parseInput(&in)
		if err != nil {
			if bad++; bad <= maxBadInputs || r.f.options.verbose {
				r.f.out.warn(fmt.Sprintf("%s: %v", in.name, err), "")
			}
			continue
		}
		if !seen[key] {
			seen[key] = true
			inputs = append(inputs, in)
		}
	}
	if more := bad - maxBadInputs; more > 0 && !r.f.options.verbose {
		r.f.out.warn(plural(more, "more input")+" like these; -v names them", "")
	}
	r.f.out.begin(r.s, len(inputs))
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
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input{name: name, file: name, content: content})
	}
	return inputs, nil
}

// parseInput reads the content of in. Inputs that mean the same have equal keys.
func (s *subject) parseInput(in *input) (key string, err error) {
	if len(in.content) > maxInputBytes {
		return "", fmt.Errorf("%d bytes, want at most %d", len(in.content), maxInputBytes)
	}
	values, err := fuzzfile.Parse(in.content)
	if err != nil {
		return "", err
	}
	if s.listed > 0 {
		in.text, err = oneString(values)
		return in.text, err
	}
	in.steps, err = s.callOf(values)
	return string(seq.AppendBinary(nil, in.steps)), err
}

// oneString returns the only one of values, a string.
func oneString(values []fuzzfile.Value) (string, error) {
	if len(values) != 1 || values[0].Type != "string" {
		return "", fmt.Errorf("%s, the first of type %s, want one string", plural(len(values), "value"), values[0].Type)
	}
	return values[0].Value.(string), nil
}

// callOf returns the call of the target with values for its arguments.
func (s *subject) callOf(values []fuzzfile.Value) (seq.Sequence, error) {
	op := &s.table.Ops[0]
	if len(values) != len(op.Params) {
		return nil, fmt.Errorf("%s, want %d for %s", plural(len(values), "value"), len(op.Params), signature(s.table))
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

// fileComment says in a file of go test whose text it is, and in which version.
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
	c := coordinator.Config{Spawn: r.spawn, Table: r.s.table, Pool: r.s.pool, Sides: r.s.sides(), JudgeDeath: r.s.judgeDeath}
	visit := func(i int, res coordinator.Replayed) {
		in := &inputs[i]
		in.steps = res.Steps
		switch {
		case res.Error != nil:
			r.f.out.warn(fmt.Sprintf("%s: %v", in.name, res.Error), "")
		case res.Verdict != nil && res.Verdict.Tier != engine.Illegal:
			f := engine.Finding{Verdict: *res.Verdict, Steps: in.steps, Original: in.steps}
			if r.s.listed > 0 {
				if slices.Contains(r.known, f.Verdict.Signature) {
					return // other inputs with the same cause
				}
				f = coordinator.Minimize(c, f)
				in.file = r.keepFailing(f, in.file)
			}
			r.known = append(r.known, f.Verdict.Signature)
			r.failing[f.Verdict.Tier]++
			r.f.out.finding(r.recorder, coordinator.Finding{Finding: f}, in.file, "")
		default:
			r.entries = append(r.entries, in.steps)
		}
	}
	var err error
	if r.s.listed > 0 {
		texts := make([]string, len(inputs))
		for i := range inputs {
			texts[i] = inputs[i].text
		}
		_, err = coordinator.ReplayInputs(ctx, c, texts, visit)
	} else {
		calls := make([]seq.Sequence, len(inputs))
		for i := range inputs {
			calls[i] = inputs[i].steps
		}
		_, err = coordinator.Replay(ctx, c, calls, visit)
	}
	return err
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
func (r *targetRecorder) Finding(f coordinator.Finding) {
	r.f.out.finding(r.recorder, f, r.keepFailing(f.Finding, ""), "")
}

// keepFailing writes the input of a finding where go test looks for inputs that
// fail, unless it has been read from there. It returns the name of the file.
func (r *targetRecorder) keepFailing(f engine.Finding, file string) string {
	dir := r.failDir
	if r.s.listed > 0 && f.Verdict.Tier < engine.Error {
		dir = r.corpus // go test does not fail for it
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
