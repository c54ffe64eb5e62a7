package fuzztarget

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/rawinput"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/fuzzfile"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/owned"
)

// Input is one stored input of a fuzz target: the content of a file in go test's
// format, or an f.Add.
type Input struct {
	Name    string // for people
	File    string // empty for one of f.Add
	Content []byte
	Err     error // why there is no content
}

// Dirs are the directories of the inputs of a fuzz target.
type Dirs struct {
	Found   string   // for inputs that fuzzing finds
	Failing string   // … if it fails
	All     []string // where inputs may lie, those two among them
}

// Read adds the inputs of all directories to a list.
func (d *Dirs) Read(inputs []Input) ([]Input, error) {
	for _, dir := range d.All {
		list, err := readDir(dir)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, list...)
	}
	return inputs, nil
}

// readDir reads the files of a directory, which need not be there.
func readDir(dir string) ([]Input, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var inputs []Input
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		name := filepath.Join(dir, e.Name())
		content, err := corpusadmin.ReadRegular(name, rawinput.MaxBytes)
		inputs = append(inputs, Input{Name: name, File: name, Content: content, Err: err})
	}
	return inputs, nil
}

// values returns the arguments that an input holds.
func (in *Input) values() ([]fuzzfile.Value, error) {
	if in.Err != nil {
		return nil, in.Err
	}
	if len(in.Content) > rawinput.MaxBytes {
		return nil, fmt.Errorf("%d bytes, want at most %d", len(in.Content), rawinput.MaxBytes)
	}
	return fuzzfile.Parse(in.Content)
}

// Text returns the only argument that an input holds, a string.
func (in *Input) Text() (string, error) {
	values, err := in.values()
	if err == nil && (len(values) != 1 || values[0].Type != "string") {
		err = fmt.Errorf("%s, the first of type %s, want one string", text.Plural(len(values), "value"), values[0].Type)
	}
	if err != nil {
		return "", err
	}
	return values[0].Value.(string), nil
}

// Parse reads an input as a call of the target, the only operation of a table.
func (in *Input) Parse(t *seq.Table, pool *engine.Pool) (seq.Sequence, error) {
	values, err := in.values()
	if err != nil {
		return nil, err
	}
	op := &t.Ops[0]
	if len(values) != len(op.Params) {
		return nil, fmt.Errorf("%s, want %d for %s", text.Plural(len(values), "value"), len(op.Params), Signature(t))
	}
	step := seq.Step{}
	for i, v := range values {
		ty := op.Params[i]
		if want := t.Types[ty].Name; v.Type != want {
			return nil, fmt.Errorf("value %d has type %s, want %s for %s", i+1, v.Type, want, Signature(t))
		}
		step.Args = append(step.Args, seq.Lit(pool.Intern(&seq.Literal{Type: ty, Value: v.Value})))
	}
	return seq.Sequence{step}, nil
}

// Sequence returns the file that holds a sequence of a target that lists its operations.
func Sequence(t *seq.Table, steps seq.Sequence) []byte {
	return fmt.Appendf(nil, "go test fuzz v1\nstring(%#q) // foray 1\n", t.OneLine(steps))
}

// Call returns the file that holds a call of the target.
func Call(t *seq.Table, steps seq.Sequence) []byte {
	var values []fuzzfile.Value
	for _, a := range steps[0].Args {
		values = append(values, fuzzfile.Value{Type: t.Types[a.Lit.Type].Name, Value: a.Lit.Value})
	}
	return fuzzfile.Encode(values)
}

// Write writes an input under the name that its content gives it, and
// returns the name of the file.
func Write(dir string, content []byte) (string, error) {
	name := filepath.Join(dir, fuzzfile.Name(content))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	return name, owned.WriteFile(name, content)
}

// Signature returns the only operation of a target's table: "FuzzParse([]byte, int)".
func Signature(t *seq.Table) string {
	name := t.Ops[0].Name
	return name[strings.LastIndex(name[:strings.IndexByte(name, '(')], ".")+1:]
}
