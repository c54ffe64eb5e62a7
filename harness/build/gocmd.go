package build

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// goCmd says how the go command is run.
type goCmd struct {
	bin string
	dir string
	env []string
	// group ends the compilers and linkers under way, too, when the context is done. The command
	// cannot ask at the terminal then.
	group bool
}

// lowNice is the niceness that GiveWay adds: that of workers, so that a build takes as much as
// they do. If it takes less, small packages have no analysis build in ten seconds. If it takes
// more, there are a quarter fewer sequences in that time.
const lowNice = 5

// GiveWay returns a command line that runs args at a low priority, where the system has the
// command nice. Its processes then leave the processors to others that want them.
func GiveWay(args ...string) []string {
	nice, err := exec.LookPath("nice")
	if err != nil {
		return args
	}
	return append([]string{nice, "-n", strconv.Itoa(lowNice)}, args...)
}

// behind is the key of contexts in which go commands give way.
type behind struct{}

// Behind returns a context in which the go commands of this package are run by [GiveWay].
func Behind(ctx context.Context) context.Context { return context.WithValue(ctx, behind{}, true) }

// output runs the go command and returns its standard output and error. A
// returned error has the first line of the standard error.
func (g goCmd) output(ctx context.Context, args ...string) (stdout, stderr []byte, err error) {
	line := append([]string{cmp.Or(g.bin, "go")}, args...)
	if ctx.Value(behind{}) != nil {
		line = GiveWay(line...)
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	// Interrupted, not killed: it takes its temporary directory along.
	cmd.Cancel = func() error { return Interrupt(cmd.Process, g.group) }
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = ChildAttr(g.group, syscall.SIGINT)
	cmd.Dir = g.dir
	cmd.Env = g.env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = rareGC(cmd.Env)
	if g.dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+g.dir)
	}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && o.Len()+e.Len() == 0 {
		awaitSignal(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		err = fmt.Errorf("no go command: %w", err)
	case exit != nil:
		err = fmt.Errorf("go %s: %s", args[0], firstLine(e.Bytes()))
	case err != nil:
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return o.Bytes(), e.Bytes(), err
}

// awaitSignal waits a little for the end of ctx. A signal from the terminal ends a command, too,
// perhaps before this process has it.
func awaitSignal(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// rareGC has the compiler and the linker collect garbage rarely, unless the user has a say in
// that. They then take four fifths of the processor time.
func rareGC(env []string) []string {
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOGC=") }) {
		return slices.Clip(env)
	}
	return append(slices.Clip(env), "GOGC=400")
}

func firstLine(b []byte) string {
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading") && !strings.HasPrefix(line, "#") {
			return strings.TrimPrefix(line, "go: ")
		}
	}
	return "no message"
}

// settings are the variables that affect a build. GOFLAGS is among them because
// it may carry flags.
var settings = []string{
	"GOOS", "GOARCH", "GOEXPERIMENT", "CGO_ENABLED", "GOFLAGS", "GOFIPS140",
	"GOAMD64", "GOARM", "GOARM64", "GO386", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS", "PKG_CONFIG",
}

// environment asks the go command for its variables.
func (g goCmd) environment(ctx context.Context) (tc Toolchain, gomod, gowork string, err error) {
	args := append([]string{"env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOCACHE", "GOMOD", "GOWORK"}, settings...)
	out, _, err := g.output(ctx, args...)
	if err != nil {
		return tc, "", "", err
	}
	vars := make(map[string]string)
	if err := json.Unmarshal(out, &vars); err != nil {
		return tc, "", "", fmt.Errorf("go env: %w", err)
	}
	tc = Toolchain{Version: vars["GOVERSION"], Root: vars["GOROOT"], ModCache: vars["GOMODCACHE"], Cache: filepath.Clean(vars["GOCACHE"]), Settings: make(map[string]string)}
	for _, k := range settings {
		if v := vars[k]; v != "" {
			tc.Settings[k] = v
		}
	}
	if gomod = vars["GOMOD"]; gomod == os.DevNull {
		gomod = ""
	}
	if gowork = vars["GOWORK"]; gowork == "off" {
		gowork = ""
	}
	return tc, gomod, gowork, nil
}

// takesNoValue lists the boolean build flags: the argument after one of them is
// not its value.
var takesNoValue = []string{"a", "asan", "buildvcs", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x"}

// CutFlag takes flag name out of flags, in all of the spellings that the flag
// package reads, and returns its last value.
func CutFlag(flags []string, name string) (value string, rest []string) {
	for i := 0; i < len(flags); i++ {
		f := strings.TrimPrefix(strings.TrimPrefix(flags[i], "-"), "-")
		key, v, hasValue := strings.Cut(f, "=")
		follows := !hasValue && i+1 < len(flags) && strings.HasPrefix(flags[i], "-") && !slices.Contains(takesNoValue, key)
		if key != name || !strings.HasPrefix(flags[i], "-") {
			rest = append(rest, flags[i])
			if follows {
				i++
				rest = append(rest, flags[i])
			}
			continue
		}
		if follows {
			i++
			v = flags[i]
		}
		value = v
	}
	return value, rest
}

// flagValue returns the value of a build flag, from flags or from GOFLAGS.
func flagValue(flags []string, tc *Toolchain, name string) string {
	if v, _ := CutFlag(flags, name); v != "" {
		return v
	}
	v, _ := CutFlag(strings.Fields(tc.Settings["GOFLAGS"]), name)
	return v
}

// readOverlay returns the replacements of the user's own overlay file, with
// absolute names.
func readOverlay(file, dir string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(abs(file, dir))
	if err != nil {
		return nil, fmt.Errorf("-overlay: %w", err)
	}
	var o overlay
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("-overlay %s: %w", file, err)
	}
	m := make(map[string]string, len(o.Replace))
	for from, to := range o.Replace {
		if to != "" {
			to = abs(to, dir)
		}
		m[abs(from, dir)] = to
	}
	return m, nil
}

func abs(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
