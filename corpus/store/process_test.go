package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The test binary, started with these set, is another foray process.
const (
	childDir  = "FORAY_STORE_TEST_DIR"
	childMode = "FORAY_STORE_TEST_MODE" // "lock", or the number of the first entry
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childMode)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child puts entries in batches until it is killed, and prints the number of each
// that is stored. Or it takes the lock and waits for its standard input to end.
func child(dir, mode string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if mode == "lock" {
		if _, err := s.TryLock(); err != nil {
			return err
		}
		fmt.Println("locked")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	first, err := strconv.Atoi(mode)
	if err != nil {
		return err
	}
	for n := first; ; n += 5 {
		var batch []Entry
		for i := range 6 { // one overlap
			batch = append(batch, entry(n+i))
		}
		if err := s.Put(batch...); err != nil {
			return err
		}
		if _, problems, err := s.Load(); err != nil || len(problems) > 0 {
			return fmt.Errorf("load: %v, problems %v", err, problems)
		}
		for i := range 6 {
			fmt.Println(n + i)
		}
	}
}

// start runs the test binary as a child.
func start(t *testing.T, dir, mode string) (*exec.Cmd, *bufio.Scanner, io.Closer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir, childMode+"="+mode)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out), in
}

// Two processes add to one store and are killed, again and again. All entries
// that they reported as stored are there, and nothing is broken.
func TestKilledProcesses(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	stored := map[string]bool{}
	for round := range rounds {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for first := range 2 {
			// The second starts in the middle of the first's.
			cmd, out, _ := start(t, dir, strconv.Itoa(round*1000+first*20))
			kill := 1 + r.IntN(60)
			wg.Go(func() {
				lines := 0
				for out.Scan() {
					n, err := strconv.Atoi(out.Text())
					if err != nil {
						t.Errorf("the child printed %q", out.Text())
					}
					mu.Lock()
					stored[entryID(n)] = true
					mu.Unlock()
					if lines++; lines == kill {
						cmd.Process.Kill()
					}
				}
				if lines < kill {
					t.Errorf("the child ended after %d lines, before it was killed", lines)
				}
				cmd.Wait()
			})
		}
		wg.Wait()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		ids, problems := loadTest(t, s)
		if len(problems) > 0 {
			t.Errorf("round %d: problems %v", round, problems)
		}
		for id := range stored {
			if !slices.Contains(ids, id) {
				t.Errorf("round %d: entry %s was stored and is gone", round, id)
			}
		}
	}
	t.Logf("%d entries", len(stored))
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd, out, in := start(t, dir, "lock")
	if !out.Scan() || out.Text() != "locked" {
		t.Fatalf("the child printed %q", out.Text())
	}
	_, err = s.TryLock()
	if locked := (*LockedError)(nil); !errors.Is(err, ErrLocked) || !errors.As(err, &locked) || locked.PID != cmd.Process.Pid {
		t.Errorf("TryLock: %v, want %v %d", err, ErrLocked, cmd.Process.Pid)
	}
	if want := fmt.Sprintf(": locked by process %d", cmd.Process.Pid); !strings.HasSuffix(fmt.Sprint(err), want) {
		t.Errorf("TryLock: %v, want …%s", err, want)
	}
	// The lock is not in the way of entries.
	if err := s.Put(entry(1)); err != nil {
		t.Error(err)
	}
	in.Close()
	cmd.Wait()
	// It ends with the process, and with unlock; twice does no harm.
	for range 2 {
		unlock, err := s.TryLock()
		if err != nil {
			t.Fatalf("TryLock: %v", err)
		}
		if _, err := s.TryLock(); !errors.Is(err, ErrLocked) {
			t.Errorf("TryLock in the same process: %v, want %v", err, ErrLocked)
		}
		unlock()
		unlock()
	}
}
