// Onwine runs parts of foray on Linux, by wine, as programs for Windows. These are tests of
// worker processes, of locks and of the store, and foray fuzz with a go command for Windows.
//
//	go run ./cmd/internal/onwine [-wine command]
//
// Wine is no Windows. It does not bound the memory of a job, and version 8 cannot delete files
// as Go does. Without a wine that will do, onwine says so and runs nothing.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the oldest major version of wine that is known to run foray.
const oldest = 10

// suites are the tests that run. Tests that are left out need tools of Unix, or a file system
// with names of Unix, or memory that is bounded.
var suites = []struct{ dir, run, skip string }{
	{"engine/wire", ".", "^$"},
	{"engine/confine", ".", "^$"},
	{"engine/worker", ".", "^TestEnds/Grab$|^TestTooMuch$"},
	{"engine/replay", ".", "^$"},
	{"engine/versions", ".", "^$"},
	{"harness/process", ".", "^$"},
	{"harness/owned", ".", "^$"},
	{"corpus/store", "^(TestLock|TestConcurrent|TestKilledProcesses)$", "^$"},
}

func main() {
	wine := flag.String("wine", "wine", "the command that runs a program for Windows")
	flag.Parse()
	version, err := exec.Command(*wine, "--version").Output()
	if err != nil {
		fmt.Println("onwine: nothing was run: no wine:", err)
		return
	}
	if n := major(string(version)); n < oldest {
		fmt.Printf("onwine: nothing was run: wine %d, want at least %d\n", n, oldest)
		return
	}
	dir, err := os.MkdirTemp("", "onwine-")
	if err == nil {
		m := &machine{wine: *wine, dir: dir, here: map[string]string{}}
		err = errors.Join(m.run(), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "onwine:", err)
		os.Exit(1)
	}
}

var versionText = regexp.MustCompile(`^wine-(\d+)\.`)

// major returns the major version that wine --version prints, 0 if it does not understand it.
func major(text string) int {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// A machine stands for one with Windows.
type machine struct {
	wine, dir string
	here      map[string]string // what go env says here
}

func (m *machine) run() error {
	for _, name := range []string{"GOROOT", "GOCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		m.here[name] = strings.TrimSpace(string(out))
	}
	for _, s := range suites {
		binary := filepath.Join(m.dir, filepath.Base(s.dir)+".test.exe")
		if err := build("test", "-c", "-o", binary, "./"+s.dir); err != nil {
			return err
		}
		fmt.Println("onwine:", s.dir)
		if out, err := m.start(s.dir, binary, "-test.run="+s.run, "-test.skip="+s.skip); err != nil {
			return fmt.Errorf("%s: %w\n%s", s.dir, err, out)
		}
	}
	return m.fuzz()
}

// fuzz runs foray fuzz on a package with a bug.
func (m *machine) fuzz() error {
	foray := filepath.Join(m.dir, "foray.exe")
	if err := build("build", "-tags", "nofarm", "-o", foray, "./cmd/foray"); err != nil {
		return err
	}
	if err := m.installGo(); err != nil {
		return err
	}
	empty := filepath.Join(m.dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		return err
	}
	fmt.Println("onwine: foray fuzz container/list")
	out, err := m.start(empty, foray, "fuzz", "-seed=1", "-parallel=1", "-fuzztime=2000x", "-outdir="+windowsName(m.dir)+`\corpus`, "container/list")
	const findings = 1
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != findings || !bytes.Contains(out, []byte("signature contract:size-not-negative:(*List).Len")) {
		return fmt.Errorf("foray fuzz: %v, want status 1 and a negative length\n%s", err, out)
	}
	return nil
}

// installGo builds the go command and its tools for Windows from the sources of GOROOT.
func (m *machine) installGo() error {
	from, to := m.here["GOROOT"], m.goroot()
	for _, name := range []string{"src", "lib", "pkg/include"} {
		if err := os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(from, name))); err != nil {
			return err
		}
	}
	for _, name := range []string{"VERSION", "go.env"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
			return err
		}
	}
	if err := build("build", "-trimpath", "-o", filepath.Join(to, "bin")+"/", "cmd/go"); err != nil {
		return err
	}
	tools := filepath.Join(to, "pkg", "tool", "windows_amd64") + "/"
	return build("build", "-trimpath", "-o", tools, "cmd/asm", "cmd/compile", "cmd/cover", "cmd/link", "cmd/vet")
}

func (m *machine) goroot() string { return filepath.Join(m.dir, "goroot") }

// build runs the go command for Windows.
func build(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// start runs a program in a directory and returns what it printed.
func (m *machine) start(dir, program string, args ...string) ([]byte, error) {
	cmd := exec.Command(m.wine, append([]string{windowsName(program)}, args...)...)
	cmd.Dir = dir
	// Wine 10.0 of Debian aborts if TMPDIR is set.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") })
	cmd.Env = append(cmd.Env, "WINEPREFIX="+filepath.Join(m.dir, "wine"), "WINEDEBUG=-all", "WINEPATH="+windowsName(m.goroot())+`\bin`,
		"GOCACHE="+windowsName(m.here["GOCACHE"]), "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local", "GOPROXY=off", "GOWORK=off")
	return cmd.CombinedOutput()
}

// windowsName returns the name that wine gives an absolute name of Linux.
func windowsName(name string) string { return `Z:` + strings.ReplaceAll(name, "/", `\`) }
