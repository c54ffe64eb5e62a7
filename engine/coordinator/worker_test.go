package coordinator

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
	"foray.test/harness"
	"foray.test/harness/contract"
)

// TestMain makes the test binary its own worker: with a table in the environment
// it is one.
func TestMain(m *testing.M) {
	if file := os.Getenv(wire.EnvTable); file != "" {
		work(file)
	}
	os.Exit(m.Run())
}

const (
	typeBox seq.TypeID = iota + 1
	typeInt
	typeString
)

// fullTable lists all of package planted. Tests run on parts of it.
func fullTable() *seq.Table {
	const path = "foray.test/engine/coordinator/internal/planted"
	t := &seq.Table{
		Package: path, Name: "planted", Imports: []seq.Import{{Name: "planted", Path: path}},
		Types: []seq.Type{
			{},
			{Name: "*planted.Box", Nilable: true, Assignable: []seq.TypeID{typeBox}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
			{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{typeString}},
		},
	}
	add := func(name string, kind seq.Kind, params, results []seq.TypeID) {
		op := seq.Operation{
			Name: name, Short: name, Member: name, Kind: kind, Params: params, Results: results, API: true, File: "planted.go",
			Template: "planted." + name + "()",
		}
		if kind == seq.Method {
			op.Short = "(*Box)." + name
			op.Member = op.Short
			op.Template = "$0." + name + "()"
			if len(params) > 1 {
				op.Template = "$0." + name + "($1)"
			}
		}
		t.Ops = append(t.Ops, op)
	}
	box, number := []seq.TypeID{typeBox}, []seq.TypeID{typeInt}
	add("New", seq.Func, nil, box)
	add("Put", seq.Method, []seq.TypeID{typeBox, typeInt}, nil)
	add("Get", seq.Method, box, number)
	add("String", seq.Method, box, []seq.TypeID{typeString})
	t.Ops[len(t.Ops)-1].Callback = true
	for i := range behaviours {
		var results []seq.TypeID
		if behaviours[i].number {
			results = number
		}
		add(behaviours[i].name, seq.Method, box, results)
	}
	return t
}

const plantedSides = 200

// work is a worker's main function.
func work(file string) {
	data, err := os.ReadFile(file)
	t := new(seq.Table)
	if err == nil {
		err = json.Unmarshal(data, t)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	harness.Main(bindings(t))
}

// part returns the table of New, Put, Get and some of the behaviours.
func part(names ...string) *seq.Table {
	t := fullTable()
	full := t.Ops
	t.Ops = append([]seq.Operation(nil), full[:3]...)
	for _, name := range names {
		for _, op := range full {
			if op.Name == name {
				t.Ops = append(t.Ops, op)
			}
		}
	}
	return t
}

// judgeDeath does what the command does.
func judgeDeath(t *seq.Table) func(seq.Sequence, worker.Death) engine.Verdict {
	return func(steps seq.Sequence, d worker.Death) engine.Verdict {
		how := contract.Ending{Kind: engine.KindExit, Code: d.ExitCode, Text: d.Stderr, Goroutine: d.Goroutine, Goexit: d.Goexit}
		switch {
		case d.Judging:
			return engine.Verdict{Tier: engine.Illegal, Op: steps[len(steps)-1].Op}
		case d.Hang:
			how.Kind = engine.KindHang
		case d.Memory || strings.Contains(d.Stderr, "out of memory") || strings.Contains(d.Stderr, "cannot allocate memory"):
			how.Kind = engine.KindMemory
		case d.Signal != "" || strings.Contains(d.Stderr, "fatal error: ") || strings.Contains(d.Stderr, "panic: ") || strings.Contains(d.Stderr, "[signal "):
			how.Kind = engine.KindFatal
		}
		return contract.Death(contract.Facts{Table: t, Op: steps[len(steps)-1].Op, Steps: steps}, how)
	}
}

// recorder keeps what a run reports.
type recorder struct {
	entries  []string
	findings []Finding
	warnings []string
	notes    []string
	progress int
	table    *seq.Table
	onFind   func(Finding)
}

func (r *recorder) Progress(s Snapshot) { r.progress++ }
func (r *recorder) Warn(msg string)     { r.warnings = append(r.warnings, msg) }
func (r *recorder) Note(msg string)     { r.notes = append(r.notes, msg) }

func (r *recorder) Entry(e engine.Entry) {
	if len(e.Sides) == 0 {
		return // kept for its value
	}
	r.entries = append(r.entries, r.table.String(e.Steps))
}

func (r *recorder) Finding(f Finding) {
	r.findings = append(r.findings, f)
	if r.onFind != nil {
		r.onFind(f)
	}
}

// find returns the finding of an operation.
func (r *recorder) find(op string) (Finding, bool) {
	for _, f := range r.findings {
		if r.table.Ops[f.Verdict.Op].Name == op {
			return f, true
		}
	}
	return Finding{}, false
}

// config returns a configuration for a table, with one worker and a recorder.
func config(tb testing.TB, table *seq.Table) (Config, *recorder) {
	tb.Helper()
	data, err := json.Marshal(table)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	file := filepath.Join(dir, "table.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	r := &recorder{table: table}
	return Config{
		Spawn: worker.Spawn{Binary: self, Table: file, Dir: dir}, Table: table, Pool: engine.NewPool(table), Sides: plantedSides,
		Parallel: 1, Seed: 1, JudgeDeath: judgeDeath(table), Report: r,
	}, r
}

// parse reads a sequence.
func parse(tb testing.TB, t *seq.Table, text string) seq.Sequence {
	tb.Helper()
	s, err := t.Parse(text)
	if err != nil {
		tb.Fatalf("parse %q: %v", text, err)
	}
	return s
}

// children returns the ids of the processes that this one has started and that
// have not been reaped, and those in the process groups of its workers.
func children(tb testing.TB) []string {
	tb.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		tb.Skip("no /proc")
	}
	self := strconv.Itoa(os.Getpid())
	var list []string
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has gone
		}
		// "12 (name) S parent group …"
		i := bytes.LastIndexByte(data, ')')
		fields := strings.Fields(string(data[i+1:]))
		if len(fields) > 1 && fields[1] == self {
			list = append(list, string(data[:i+1]))
		}
	}
	return list
}

// census is what a process must not gather.
type census struct{ goroutines, files, maps int }

func count(tb testing.TB) census {
	tb.Helper()
	c := census{goroutines: runtime.NumGoroutine()}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		c.files = len(list)
	}
	if data, err := os.ReadFile("/proc/self/maps"); err == nil {
		c.maps = bytes.Count(data, []byte("shared"))
	}
	return c
}

// leavesNothing runs f and checks that no process, goroutine, descriptor or
// mapping is left behind.
func leavesNothing(t *testing.T, f func()) {
	t.Helper()
	before := count(t)
	f()
	var after census
	var left []string
	for deadline := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		after, left = count(t), children(t)
		clean := len(left) == 0 && after.goroutines <= before.goroutines && after.files <= before.files && after.maps <= before.maps
		if clean {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("left behind: processes %v; goroutines %d, files %d, mappings %d, before %d, %d, %d\n%s", left,
		after.goroutines, after.files, after.maps, before.goroutines, before.files, before.maps, stacks[:runtime.Stack(stacks, true)])
}
