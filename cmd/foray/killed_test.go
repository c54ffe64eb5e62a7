package main

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"foray.test/corpus/store"
)

// TestKilledForays has two forays fuzz one package into one corpus and kills both at
// any instant, again and again. An entry stays an entry to the end, nothing is torn,
// and the next run goes on from all of it. The package is one that no other package of a
// worker imports, which would be compiled anew.
func TestKilledForays(t *testing.T) {
	const (
		rounds = 3
		enough = 20 // entries, to say anything
	)
	if testing.Short() {
		t.Skip("builds a worker")
	}
	t.Parallel()
	foray, err := exec.LookPath("foray")
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const pkg = "encoding/csv"
	out, cache := t.TempDir(), t.TempDir()
	built := goEnv(t)["GOCACHE"] // or else it would be below cache, with nothing in it
	t.Cleanup(func() {
		// The children of a killed foray end after it, and may write until then.
		for began := time.Now(); os.RemoveAll(cache) != nil && time.Since(began) < 20*time.Minute; time.Sleep(10 * time.Millisecond) {
		}
	})
	dir := store.Dir("", pkg, "", out)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(foray, append(args, "-outdir", out, pkg)...)
		cmd.Dir, cmd.Env = out, append(os.Environ(), "XDG_CACHE_HOME="+cache, "GOCACHE="+built)
		return cmd
	}
	if said, err := command("replay").CombinedOutput(); err != nil { // which builds the worker
		t.Fatalf("replay: %v\n%s", err, said)
	}
	seen := map[string]bool{}
	look := func() int {
		list, err := os.ReadDir(filepath.Join(dir, "entries"))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if !strings.HasPrefix(d.Name(), ".") {
				seen[d.Name()] = true
			}
		}
		return len(seen)
	}
	killed := 0
	for round := range rounds {
		// Some entries more, or all sequences: later rounds find less. The first round
		// ends by the kills only, with entries enough.
		want, budget := look()+4+r.IntN(17), "2000x"
		if round == 0 {
			want, budget = want+enough, "24h"
		}
		var running atomic.Int32
		var ended sync.WaitGroup
		var cmds []*exec.Cmd
		for i := range 2 {
			cmd := command("fuzz", "-frontier=false", "-fuzztime", budget, "-parallel", "1", "-seed", strconv.Itoa(2*round+i))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill() })
			cmds = append(cmds, cmd)
			running.Add(1)
			ended.Go(func() { cmd.Wait(); running.Add(-1) })
		}
		for look() < want && running.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		killed += int(running.Load())
		for _, cmd := range cmds {
			cmd.Process.Kill()
			look()
		}
		ended.Wait()
		look()
	}
	t.Logf("%d of %d forays were killed", killed, 2*rounds)
	if killed < 2 {
		t.Errorf("%d of %d forays were killed: too few to say anything", killed, 2*rounds)
	}
	s, err := store.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, problems, err := s.Load()
	if err != nil || len(problems) > 0 {
		t.Errorf("problems %v, error %v", problems, err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	if want := slices.Sorted(maps.Keys(seen)); !slices.Equal(ids, want) {
		t.Errorf("%d entries at the end, %d were seen: %v and %v", len(ids), len(want), ids, want)
	}
	if len(ids) < enough {
		t.Errorf("%d entries: too few to say anything", len(ids))
	}
	said, _ := command("replay").CombinedOutput() // 1 if fuzzing has found an error
	if strings.Contains(string(said), "warning") {
		t.Errorf("replay: %s", said)
	}
	if want := strconv.Itoa(len(ids)) + " entries"; !strings.Contains(string(said), want) {
		t.Errorf("replay: %s, want %s", said, want)
	}
}

// An interrupt shows in the exit status, unless there are findings.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a worker")
	}
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	t.Parallel()
	foray, err := exec.LookPath("foray")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module m.test/calm\n\ngo 1.24\n",
		"calm.go": "package calm\n\nfunc Sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(foray, "fuzz", "-fuzztime", "10m", "-outdir", filepath.Join(dir, "out"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOCACHE="+goEnv(t)["GOCACHE"])
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if list, _ := filepath.Glob(filepath.Join(dir, "out/m.test/calm/entries/[0-9a-f]*")); len(list) > 0 {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("ended: %v\n%s", err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit status %d\n%s", err, exitInterrupted, said.String())
	}
}
