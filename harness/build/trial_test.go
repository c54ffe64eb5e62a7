package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name, out string
		want      []string
		ended     bool
	}{
		{"all pass", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n", nil, false},
		{"one fails", "=== RUN   TestA\n    a_test.go:3: no\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nFAIL\n", []string{"TestA"}, false},
		{"a row fails", "=== RUN   TestA\n=== RUN   TestA/0\n=== RUN   TestA/1\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/0 (0.00s)\n    --- FAIL: TestA/1 (0.00s)\nFAIL\n", []string{"TestA/1"}, false},
		{"a panic", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n", []string{"TestB"}, true},
		{"a panic behind a failure", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\npanic: boom\n", []string{"TestA", "TestB"}, true},
		{"the process exits", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n", []string{"TestB"}, true},
		{"time is up", "=== RUN   TestA\npanic: test timed out after 1m0s\n\trunning tests:\n\t\tTestA (1m0s)\n", []string{"TestA"}, true},
	} {
		got, ended := failures(test.out)
		if !slices.Equal(got, test.want) || ended != test.ended {
			t.Errorf("%s: %q, ended %v; want %q, %v", test.name, got, ended, test.want, test.ended)
		}
	}
}

// A trial compiles files that are not there, tells the lines of those that do not
// compile or that go vet objects to, and runs tests by name.
func TestTrial(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	dir := t.TempDir()
	for name, src := range map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.24\n", "p.go": "package p\n\nfunc One() int { return 1 }\n",
		"old_test.go": "package p_test\n\nvar broken int = \"\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const head = "package p_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/p\"\n)\n\n"
	const good = "func TestGood(t *testing.T) {\n\tif p.One() != 1 {\n\t\tt.Error(1)\n\t}\n}\n"
	trial := &Trial{Dir: dir, Temp: t.TempDir(), Files: map[string][]byte{"old_test.go": nil}}
	ctx := context.Background()
	for _, test := range []struct {
		name, src string
		line      int
	}{
		{"does not compile", head + "func TestBad(t *testing.T) { p.Two() }\n", 9},
		{"vet objects", head + "func TestBad(t *testing.T) { t.Errorf(\"%d\", \"x\"); p.One() }\n", 9},
		{"fine", head + good + "func TestFails(t *testing.T) { t.Fail() }\nfunc TestSpins(t *testing.T) { for {} }\n", 0},
	} {
		trial.Files["new_test.go"] = []byte(test.src)
		list, err := trial.Check(ctx, "new_test.go")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if test.line == 0 && len(list) > 0 || test.line > 0 && (len(list) == 0 || list[0].Line != test.line) {
			t.Errorf("%s: %+v, want line %d", test.name, list, test.line)
		}
	}
	for _, test := range []struct{ run, want []string }{{[]string{"TestGood"}, nil}, {[]string{"TestGood", "TestFails/3"}, []string{"TestFails"}}} {
		if got, err := trial.Run(ctx, test.run, 2); !slices.Equal(got.Failed, test.want) || got.Ended || err != nil || got.Processor <= 0 {
			t.Errorf("%q: %+v, %v; want %q", test.run, got, err, test.want)
		}
	}
	if runtime.GOOS == "linux" {
		limited := *trial
		limited.Processor = time.Second
		if got, err := limited.Run(ctx, []string{"TestSpins"}, 2); !slices.Equal(got.Failed, []string{"TestSpins"}) || !got.Ended || err != nil || got.Processor < time.Second*3/4 || got.Processor > 1900*time.Millisecond {
			t.Errorf("an endless loop: %+v, %v", got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new_test.go")); err == nil {
		t.Error("the trial left a file")
	}
	delete(trial.Files, "old_test.go")
	if _, err := trial.Check(ctx, "new_test.go"); err == nil {
		t.Error("no error though another test file does not compile")
	}
}

// The go command gives way to other processes if it is told to.
func TestGiveWay(t *testing.T) {
	nice, err := exec.LookPath("nice")
	if err != nil {
		t.Skip("no nice")
	}
	bin := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\nexec "+nice+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var levels []int
	for _, ctx := range []context.Context{t.Context(), Behind(t.Context())} {
		out, _, err := goCmd{bin: bin}.output(ctx, "version")
		level, bad := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || bad != nil {
			t.Fatalf("%q: %v, %v", out, err, bad)
		}
		levels = append(levels, level)
	}
	if want := min(levels[0]+lowNice, 19); levels[1] != want {
		t.Errorf("niceness %v, want %d for the second", levels, want)
	}
}

// A go command that a signal ends, which this process has a little later, is interrupted.
func TestInterruptedWithTheCommand(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\nkill -TERM $$\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
	defer cancel()
	if _, _, err := (goCmd{bin: bin}).output(ctx, "list"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the context has ended", err)
	}
}

// The go command collects garbage rarely, unless the user says how often.
func TestRareGC(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\necho $GOGC\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env  []string
		want string
	}{{[]string{"A=b"}, "400\n"}, {[]string{"GOGC=off"}, "off\n"}} {
		if out, _, err := (goCmd{bin: bin, env: tt.env}).output(t.Context(), "version"); string(out) != tt.want || err != nil {
			t.Errorf("%v: %q, %v; want %q", tt.env, out, err, tt.want)
		}
	}
}
