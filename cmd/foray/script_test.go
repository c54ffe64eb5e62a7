package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"foray.test/cmd/internal/event"
	"foray.test/engine/confine"
	"foray.test/engine/difference"
)

var update = flag.Bool("update", false, "rewrite the wanted output in testdata/script")

func TestMain(m *testing.M) {
	if os.Getenv(guardVar) != "" { // a guard does not go by its name
		main()
		return
	}
	testscript.Main(m, map[string]func(){"foray": main})
}

// TestScript runs the command as a user would. Beside the commands of testscript
// the scripts have
//
//	exits n command...       run a command that exits with status n
//	events name field...     stdout is JSON, one object a line, and each event of
//	                         that name has the fields; field=value wants a value
//	tree dir file            write the names and hashes of the files below dir
//	replace file old new     edit a file
//	await pattern            wait until there is a file of that name
//	collect pattern name     copy the files that match to name, in which %d is their number
//	steady file              write stdout without times, rates and lines of progress
//	shape file               write stdout without any number that another engine may change
//	differs op [class]       stdout is JSON and tells just one difference of that operation,
//	                         or just one of the class
//	emitted dir              write the tests of the differences in stdout into dir, as
//	                         difference1_test.go or, of what is removed, gone1_test.go
//	rerun n                  run the command that stdout tells to re-run; it exits with n
//
// and the conditions [modules], that the module proxy can be reached, [race], that
// the race detector can be linked, [leaks], that the toolchain knows the leak profile, and [root], that permissions do not bind.
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds workers")
	}
	env, part := goEnv(t), long(t)
	shared := t.TempDir()
	caches := make(chan string, 1024)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			if !part.runs(strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")) {
				e.T().Skip("make long runs it")
			}
			return setup(e, env, shared, caches)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "events": events, "tree": tree, "replace": replace, "await": await, "collect": collect, "steady": steady, "shape": shape, "rerun": rerun,
			"differs": differs, "emitted": emitted,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "modules":
				return haveModules(), nil
			case "race":
				return haveRace(), nil
			case "leaks":
				return haveLeaks(), nil
			case "confined":
				return confine.Supported(), nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition")
		},
	})
}

// goEnv returns the go command's environment on this machine: scripts have another
// home directory.
func goEnv(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	if err := json.Unmarshal(out, &env); err != nil {
		t.Fatal(err)
	}
	return env
}

// setup gives a script the machine's build cache, but a fuzz cache of its own. Workers
// are kept for all scripts.
func setup(e *testscript.Env, env map[string]string, shared string, caches chan string) error {
	cache := filepath.Join(e.WorkDir, ".gocache")
	select {
	case kept := <-caches:
		if err := os.Rename(kept, cache); err != nil {
			return err
		}
	default:
		if err := linkCache(env["GOCACHE"], cache); err != nil {
			return err
		}
	}
	e.Defer(func() {
		kept := filepath.Join(shared, filepath.Base(e.WorkDir))
		if cleanCache(cache) == nil && os.Rename(cache, kept) == nil {
			caches <- kept
		}
	})
	for k, v := range env {
		e.Setenv(k, v)
	}
	foray, err := exec.LookPath("foray")
	if err != nil {
		return err
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	e.Setenv("foray", foray)
	e.Setenv("root", root) // of this module, for go.mod files to replace it by
	e.Setenv("GOCACHE", cache)
	e.Setenv("GOFLAGS", "-vet=off") // go test would vet all that a test imports, as lint has done; scripts that vet say so
	e.Setenv("GOWORK", "")
	e.Setenv("HOME", shared)
	e.Setenv("XDG_CACHE_HOME", filepath.Join(shared, "cache"))
	return nil
}

// linkCache makes dir a build cache with the files of another: that is 256 directories,
// which lend themselves to links. It also has the time of the last trimming. Without it the first go
// command of each script looks at all files of the cache, which may take a second of the processor.
func linkCache(from, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(from, "trim.txt"), filepath.Join(dir, "trim.txt")); err != nil {
		return err
	}
	for i := range 256 {
		name := fmt.Sprintf("%02x", i)
		real := filepath.Join(from, name)
		if err := os.MkdirAll(real, 0o777); err != nil {
			return err
		}
		if err := os.Symlink(real, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// cleanCache removes all but the links of linkCache, for the next script: to make them
// takes a tenth of a second of the processor.
func cleanCache(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if d.Type()&fs.ModeSymlink == 0 {
			if err := os.RemoveAll(filepath.Join(dir, d.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// haveModules reports whether modules can be had.
var haveModules = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "foray-test-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m.test/m\n"), 0o666); err != nil {
		return false
	}
	cmd := exec.Command("go", "mod", "download", "github.com/google/btree@v1.1.3")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	return cmd.Run() == nil
})

// haveRace reports whether the go command can build with -race, as the script that does builds.
var haveRace = sync.OnceValue(func() bool {
	cmd := exec.Command("go", "build", "-race", "-o", os.DevNull, "errors")
	if haveLeaks() {
		cmd.Env = append(os.Environ(), "GOEXPERIMENT="+leakExperiment)
	}
	return cmd.Run() == nil
})

// haveLeaks reports whether the go command can build with the leak profile.
var haveLeaks = sync.OnceValue(func() bool {
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT="+leakExperiment)
	return cmd.Run() == nil
})

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits n command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func events(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: events name field...")
	}
	found := 0
	sc := bufio.NewScanner(strings.NewReader(ts.ReadFile("stdout")))
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var e map[string]any
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			ts.Fatalf("%s: %v", sc.Bytes(), err)
		}
		if e["schema"] != 1.0 {
			ts.Fatalf("%s: schema %v, want 1", sc.Bytes(), e["schema"])
		}
		if e["event"] != args[0] {
			continue
		}
		found++
		if neg {
			ts.Fatalf("%s: want no such event", sc.Bytes())
		}
		for _, arg := range args[1:] {
			wantField(ts, e, arg)
		}
	}
	if found == 0 && !neg {
		ts.Fatalf("no event %s", args[0])
	}
}

// differences returns the differences that stdout tells, as JSON.
func differences(ts *testscript.TestScript) []event.Difference {
	var list []event.Difference
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var e struct {
			Event string
			event.Difference
		}
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Event == "difference" {
			list = append(list, e.Difference)
		}
	}
	return list
}

func differs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 && len(args) != 2 {
		ts.Fatalf("usage: differs op [class]")
	}
	n := 0
	for _, e := range differences(ts) {
		if e.Operation == args[0] && (len(args) == 1 || e.Class == args[1]) {
			n++
		}
	}
	if neg && n > 0 || !neg && n != 1 {
		ts.Fatalf("%d differences, neg %v", n, neg)
	}
}

func emitted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: emitted dir")
	}
	for i, e := range differences(ts) {
		if e.Test == "" {
			ts.Fatalf("no test for %s, %s: %s against %s", e.Operation, e.Class, e.Old, e.New)
		}
		name := fmt.Sprintf("difference%d_test.go", i+1)
		if e.Class == difference.Removed {
			name = fmt.Sprintf("gone%d_test.go", i+1)
		}
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), []byte(e.Test), 0o666))
	}
}

// wantField fails the script unless an event has a field, as name or name=value.
// A dot looks into an object.
func wantField(ts *testscript.TestScript, e map[string]any, arg string) {
	name, want, valued := strings.Cut(arg, "=")
	var v any = e
	for part := range strings.SplitSeq(name, ".") {
		m, _ := v.(map[string]any)
		var ok bool
		if v, ok = m[part]; !ok {
			ts.Fatalf("event %v has no field %s", e, name)
		}
	}
	if got := fmt.Sprint(v); valued && got != want {
		ts.Fatalf("%s is %s, want %s", name, got, want)
	}
}

func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tree dir file")
	}
	var out bytes.Buffer
	root := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || d.IsDir() {
			fmt.Fprintln(&out, rel)
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %x\n", rel, sha256.Sum256(data))
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}

func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace file old new")
	}
	text := ts.ReadFile(args[0])
	if strings.Count(text, args[1]) != 1 {
		ts.Fatalf("%s holds %q %d times, want once", args[0], args[1], strings.Count(text, args[1]))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await pattern")
	}
	const patience = 20 * time.Minute // it only ends a script that waits for nothing
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		if len(names) > 0 {
			return
		}
	}
	ts.Fatalf("nothing matches %s after %v", args[0], patience)
}

func collect(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: collect pattern name")
	}
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("nothing matches %s", args[0])
	}
	for i, name := range names {
		data, err := os.ReadFile(name)
		ts.Check(err)
		file := ts.MkAbs(strings.ReplaceAll(args[1], "%d", strconv.Itoa(i+1)))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
		ts.Check(os.WriteFile(file, data, 0o666))
	}
}

var (
	waiting  = regexp.MustCompile(`(?m)^fuzz: elapsed: .* to confirm: \d+\n`) // printed once a second
	progress = regexp.MustCompile(`(?m)^fuzz: elapsed: .*\n`)
	passing  = regexp.MustCompile(`elapsed: \d+s|\bcalls \d+ in 100 were|\(\d+/sec\)|\bin \d[0-9.ms]*\b`)
	counts   = regexp.MustCompile(`minimized from \d+ calls|values: \d+|new entries: \d+ \(total: \d+\)|probability .*|corpus: \d+ entr(y|ies)( \(\d+ for the values they make\))?|\d+ entr(y|ies), \d+ findings?`)
	number   = regexp.MustCompile(`\d[0-9.ms]*`)
)

func steady(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: steady file")
	}
	text := ts.ReadFile("stdout")
	// How many lines of progress there are is a matter of time: the last tells the outcome.
	if all := progress.FindAllStringIndex(text, -1); len(all) > 0 {
		last := all[len(all)-1][0]
		text = progress.ReplaceAllString(text[:last], "") + text[last:]
	}
	write(ts, args[0], text)
}

func shape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shape file")
	}
	text := waiting.ReplaceAllString(ts.ReadFile("stdout"), "")
	text = counts.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.HasPrefix(s, "probability"):
			return "probability N"
		case strings.HasPrefix(s, "corpus"):
			return "corpus: N entries"
		case strings.Contains(s, "entr") && strings.Contains(s, "finding"):
			return "N entries" + s[strings.Index(s, ","):]
		}
		return number.ReplaceAllString(s, "N")
	})
	write(ts, args[0], text)
}

// write writes output for a comparison.
func write(ts *testscript.TestScript, file, text string) {
	text = passing.ReplaceAllStringFunc(text, func(s string) string { return number.ReplaceAllString(s, "N") })
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o666))
}

func rerun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rerun n")
	}
	_, line, ok := strings.Cut(ts.ReadFile("stdout"), "\n    re-run: ")
	if !ok {
		ts.Fatalf("stdout tells no command to re-run")
	}
	line, _, _ = strings.Cut(line, "\n")
	exits(ts, false, []string{args[0], "sh", "-c", line})
}
