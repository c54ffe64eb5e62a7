// Package workertest makes a test binary its own worker, for tests of what runs
// sequences in processes. The package under test is planted.
//
//	func TestMain(m *testing.M) { workertest.Main(m) }
//
//	func TestLeave(t *testing.T) {
//		table := workertest.Table("Leave")
//		spawn := workertest.Spawn(t, table)
//		workertest.LeavesNothing(t, func() { … })
//	}
package workertest

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/planted"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
	"foray.test/harness/blame"
	"foray.test/harness/process"
)

// Main runs the tests of a package, or is a worker if the environment names a table.
func Main(m *testing.M) {
	if file := os.Getenv(wire.EnvTable); file != "" {
		work(file)
	}
	os.Exit(m.Run())
}

// The types of [Table].
const (
	TypeBox seq.TypeID = iota + 1
	typeInt
	typeString
)

// full lists all of package planted.
func full() *seq.Table {
	const path = "foray.test/engine/internal/planted"
	t := &seq.Table{
		Package: path, Name: "planted", Imports: []seq.Import{{Name: "planted", Path: path}},
		Types: []seq.Type{
			{},
			{Name: "*planted.Box", Nilable: true, Assignable: []seq.TypeID{TypeBox}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
			{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{typeString}},
		},
	}
	add := func(name string, kind seq.Kind, params, results []seq.TypeID) {
		op := seq.Operation{
			Name: name, Short: name, Member: name, Base: name, Kind: kind, Params: params, Results: results, API: true, Declaration: seq.Declaration{File: "planted.go"},
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
	box, number := []seq.TypeID{TypeBox}, []seq.TypeID{typeInt}
	add("New", seq.Func, nil, box)
	add("Put", seq.Method, []seq.TypeID{TypeBox, typeInt}, nil)
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

// Sides is how many branch sides a worker counts: one for each operation, and one for
// each number from 1 to 63 that is put, from 101 on.
const Sides = 200

// work is a worker's main function.
func work(file string) {
	data, err := os.ReadFile(file)
	var t *seq.Table
	if err == nil {
		t, err = seq.DecodeTable(data)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	planted.Newer = slices.Contains(os.Args, newer)
	process.Main(bindings(t))
}

// Table returns the table of New, Put, Get and some other methods of a box.
func Table(names ...string) *seq.Table {
	t := full()
	all := t.Ops
	t.Ops = append([]seq.Operation(nil), all[:3]...)
	for _, name := range names {
		for _, op := range all {
			if op.Name == name {
				t.Ops = append(t.Ops, op)
			}
		}
	}
	return t
}

// newer is the argument of a worker that has the newer version of the package.
const newer = "newer"

// Newer returns how to start a worker that has another version of the package.
func Newer(s worker.Spawn) worker.Spawn {
	s.Args = append(slices.Clone(s.Args), newer)
	return s
}

// JudgeDeath returns what judges deaths as the command does.
func JudgeDeath(t *seq.Table) func(seq.Sequence, worker.Death) engine.Verdict {
	return func(steps seq.Sequence, d worker.Death) engine.Verdict {
		how := blame.Ending{Kind: d.Kind(), Code: d.ExitCode, Text: d.Stderr, Goroutine: d.Goroutine, Goexit: d.Goexit}
		if d.Oracle != engine.NoOracle {
			return engine.Verdict{Tier: engine.Illegal, Op: steps[len(steps)-1].Op}
		}
		return blame.Death(blame.Facts{Table: t, Op: steps[len(steps)-1].Op, Steps: steps}, how)
	}
}

// Spawn says how to start a worker of a table: the running test.
func Spawn(tb testing.TB, table *seq.Table) worker.Spawn {
	tb.Helper()
	data, err := table.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	file := filepath.Join(dir, "table")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return worker.Spawn{Binary: self, Table: file, Dir: dir}
}

// Parse reads a sequence.
func Parse(tb testing.TB, t *seq.Table, text string) seq.Sequence {
	tb.Helper()
	s, err := t.Parse(text)
	if err != nil {
		tb.Fatalf("parse %q: %v", text, err)
	}
	return s
}

// Minimal returns the shortest sequence in which op shows what it does: behind two
// calls of Put.
func Minimal(tb testing.TB, table *seq.Table, op string) string {
	tb.Helper()
	last := "v0." + op + "()"
	for i := range table.Ops {
		if table.Ops[i].Name == op && len(table.Ops[i].Results) > 0 {
			last = "v1 := " + last
		}
	}
	return table.String(Parse(tb, table, "v0 := planted.New(); v0.Put(0); v0.Put(0); "+last))
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

// LeavesNothing runs f and checks that no process, goroutine, descriptor or mapping is
// left behind. It waits for them to go until a minute before the deadline of the tests. On
// Windows it only runs f: no file lists handles, and goroutines of the runtime come and go.
func LeavesNothing(t *testing.T, f func()) {
	t.Helper()
	if runtime.GOOS == "windows" {
		f()
		return
	}
	before := count(t)
	f()
	var after census
	var left []string
	deadline, bounded := t.Deadline()
	for ; ; time.Sleep(10 * time.Millisecond) {
		after, left = count(t), children(t)
		clean := len(left) == 0 && after.goroutines <= before.goroutines && after.files <= before.files && after.maps <= before.maps
		if clean {
			return
		}
		if bounded && time.Until(deadline) < time.Minute {
			break
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("left behind: processes %v; goroutines %d, files %d, mappings %d, before %d, %d, %d\n%s", left,
		after.goroutines, after.files, after.maps, before.goroutines, before.files, before.maps, stacks[:runtime.Stack(stacks, true)])
}
