package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/corpus/store"
)

// kills is how many processes each of the tests below kills; with -hostile 100.
func kills() int {
	if *hostile {
		return 100
	}
	return 3
}

// killedPackage has findings, and a call that starts a process in a session and with an environment of its own.
const killedPackage = laterFile + `
// Start starts a process that lives on.
func (l *Later) Start() {
	if l.n == 4 && !started {
		started = true
		c := exec.Command("sleep", "600")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		c.Env = []string{"HOSTILE=" + os.Getenv("HOSTILE")}
		c.Start()
	}
}

var started bool
`

// killed is a package that forays fuzz which are killed, or which lose workers.
type killed struct {
	hostileProcess
	foray, temp, out string
	entries          map[string]bool // that were seen
	findings         map[string]bool // signatures that were printed
}

// TestKilled has the tests below share a package and its worker, and what a first run stores.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a worker")
	}
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	src := strings.Replace(killedPackage, "package p\n", "package p\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"syscall\"\n)\n", 1)
	writeFile(t, filepath.Join(dir, "go.mod"), "module m.test/killed\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "p", "p.go"), src)
	first := newKilled(t, dir, cache)
	stdout, _, _ := first.run(t, first.foray, first.args("3000x", 1)...) // which builds the worker, and has a finding to lose
	first.noStrays(t)
	for name, test := range map[string]func(*testing.T, *killed){"anywhere": killedAnywhere, "workers": killedWorkers, "full disks": fullDisks} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKilled(t, dir, cache)
			if err := os.CopyFS(k.out, os.DirFS(first.out)); err != nil {
				t.Fatal(err)
			}
			k.printed([]byte(stdout))
			test(t, k)
		})
	}
}

// newKilled returns the package in dir with a store of its own.
func newKilled(t *testing.T, dir, cache string) *killed {
	t.Helper()
	foray, err := exec.LookPath("foray")
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{foray: foray, temp: t.TempDir(), out: filepath.Join(t.TempDir(), "out"), entries: map[string]bool{}, findings: map[string]bool{}}
	k.dir, k.mark = dir, fmt.Sprintf("HOSTILE=%s-%d", t.Name(), os.Getpid())
	for name, v := range goEnv(t) {
		k.env = append(k.env, name+"="+v)
	}
	k.env = append(k.env, "TMPDIR="+k.temp, "XDG_CACHE_HOME="+cache, "GOFLAGS=", "GOWORK=off", k.mark)
	return k
}

func (k *killed) args(budget string, seed int) []string {
	return []string{"fuzz", "-json", "-allow", ".", "-parallel", "2", "-seed", strconv.Itoa(seed), "-fuzztime", budget, "-outdir", k.out, "./p"}
}

// look notes the entries of the store.
func (k *killed) look() {
	list, _ := filepath.Glob(filepath.Join(store.Dir("", "m.test/killed/p", "", k.out), "entries", "[0-9a-f]*"))
	for _, name := range list {
		k.entries[filepath.Base(name)] = true
	}
}

// printed notes the confirmed findings of an output, the last line of which may be torn.
func (k *killed) printed(stdout []byte) {
	for line := range bytes.Lines(stdout) {
		var e struct{ Event string }
		var f event.Finding
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &e) == nil && e.Event == "finding" && json.Unmarshal(line, &f) == nil && f.Unconfirmed == "" {
			k.findings[f.Signature] = true
		}
	}
}

// nothingLost wants all that was seen in the store, and nothing left of dead processes.
func (k *killed) nothingLost(t *testing.T, kills int) {
	stdout, stderr, code := k.run(t, k.foray, k.args("1x", 1)...)
	if code == exitUsage {
		t.Errorf("the next run: %s", shortened(stderr))
	}
	k.printed([]byte(stdout))
	k.noStrays(t)
	if left, err := os.ReadDir(k.temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v %v", left, err)
	}
	seen := len(k.entries)
	s, err := store.View(store.Dir("", "m.test/killed/p", "", k.out))
	if err != nil {
		t.Fatal(err)
	}
	entries, problems, err := s.Load()
	if err != nil || len(problems) > 0 {
		t.Errorf("problems %v, error %v", problems, err)
	}
	for _, e := range entries {
		delete(k.entries, e.ID)
	}
	findings, problems, err := s.Findings()
	if err != nil || len(problems) > 0 {
		t.Errorf("problems %v, error %v", problems, err)
	}
	printed := len(k.findings)
	for _, f := range findings {
		delete(k.findings, f.Signature)
	}
	t.Logf("%d kills: %d of %d entries lost, %d of %d printed findings lost", kills, len(k.entries), seen, len(k.findings), printed)
	if len(k.entries)+len(k.findings) > 0 || printed == 0 {
		t.Errorf("lost: entries %v, findings %v", k.entries, k.findings)
	}
}

// killedAnywhere kills forays at random instants. What they have stored or printed is
// there afterwards, and the next start leaves neither file nor process of them.
func killedAnywhere(t *testing.T, k *killed) {
	n := kills()
	for i := range n {
		cmd := exec.Command(k.foray, k.args("24h", i)...)
		var out bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout = k.dir, append(os.Environ(), k.env...), &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(3 * time.Second)) // any instant will do
		k.look()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		k.printed(out.Bytes())
		k.look()
	}
	k.nothingLost(t, n)
}

// killSome kills a process once it has used some processor time, of which most are ready in the
// first part. By the clock, a busy machine would have none ready. It reports false if that
// does not come, as the process ends or waits.
func killSome(pid int) bool {
	limit := rand.N(20) // hundredths of a second: any instant will do
	for range 100 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, ok := strings.Cut(string(data), ") ")
		if err != nil || !ok {
			return false
		}
		f := strings.Fields(rest)
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		if user+system >= limit {
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// killedWorkers kills workers of one run at random instants. The run goes on to its end.
func killedWorkers(t *testing.T, k *killed) {
	n := kills()
	cmd := exec.Command(k.foray, k.args("24h", 1)...)
	cmd.Dir, cmd.Env = k.dir, append(os.Environ(), k.env...)
	var out, messages bytes.Buffer
	cmd.Stderr = &messages
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	read := make(chan bool)
	go func() {
		defer close(read)
		_, _ = bufio.NewReader(stdout).WriteTo(&out)
	}()
	ended := func() bool {
		select {
		case <-read:
			return true
		default:
			return false
		}
	}
	for killed := 0; killed < n; {
		if ended() {
			_ = cmd.Wait()
			t.Fatalf("the run ended after %d kills: %s%s", killed, shortened(out.String()), shortened(messages.String()))
		}
		k.look()
		list := slices.DeleteFunc(k.strays(), func(pid int) bool {
			exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
			return err != nil || filepath.Base(exe) != "worker.test"
		})
		if len(list) > 0 && killSome(list[rand.N(len(list))]) {
			killed++
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-read
	_ = cmd.Wait()
	k.printed(out.Bytes())
	if !strings.Contains(out.String(), `"event":"summary"`) {
		t.Errorf("no summary: %s", shortened(out.String()))
	}
	k.look()
	k.nothingLost(t, n)
}

// fullDisks fuzzes into file systems that are full sooner or later. What a run tells as
// stored is there, nothing that is there is torn, and the output is whole. Errors of the store
// hide neither the findings nor the end of the run.
func fullDisks(t *testing.T, k *killed) {
	disks := 2
	if *hostile {
		disks = 20
	}
	if !haveTmpfs() {
		t.Skip("file systems cannot be mounted")
	}
	lacking := 0 // disks without room for all
	for i := range disks {
		k.out = t.TempDir()
		size := 4096 * (3 + 14*i/disks) // pages: a store of this package has some fifteen files of one
		mountTmpfs(t, k.out, strconv.Itoa(size))
		stdout, stderr, code := k.run(t, k.foray, slices.Insert(k.args("3000x", i), 1, "-strict")...)
		packages := listEvents[event.Package](t, []byte(stdout), "package")
		told := readFindings(t, stdout, code != exitUsage)
		if strings.Contains(stderr, "no space left") {
			lacking++
		}
		if shown := slices.ContainsFunc(told, func(f event.Finding) bool { return f.Unconfirmed == "" }); shown && (code != exitFindings || len(packages) != 1) {
			t.Errorf("%d bytes: exit status %d, %d packages with findings; want %d, 1", size, code, len(packages), exitFindings)
		}
		s, err := store.View(store.Dir("", "m.test/killed/p", "", k.out))
		if err != nil {
			continue // it could not even be made
		}
		entries, problems, err := s.Load()
		findings, more, err2 := s.Findings()
		if err := errors.Join(err, err2); err != nil || len(problems)+len(more) > 0 {
			t.Errorf("%d bytes: %v, problems %v, %v", size, err, problems, more)
		}
		for _, f := range told {
			if f.File != "" && !slices.ContainsFunc(findings, func(s store.Finding) bool { return s.Signature == f.Signature }) {
				t.Errorf("%d bytes: %s is not there, but told as %s", size, f.Signature, f.File)
			}
		}
		for _, p := range packages {
			if p.CorpusEntries != len(entries) {
				t.Errorf("%d bytes: %d entries are told, %d are there", size, p.CorpusEntries, len(entries))
			}
		}
		t.Logf("%d bytes: exit status %d, %d entries, %d findings told, %d stored", size, code, len(entries), len(told), len(findings))
	}
	if lacking == 0 {
		t.Error("no disk was full")
	}
	k.noStrays(t)
}
