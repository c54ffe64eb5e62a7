package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
)

const testDir = "/cache/fuzz/queue/foray"

// entry returns the n-th of a family of entries.
func entry(n int) Entry {
	return Entry{
		Statements: fmt.Sprintf("v0 := queue.New(%d)\nv0.Put(\"x\")\nv1, v1b := v0.Get()\n", n),
		Origin:     "composed",
		Sides:      n,
	}
}

func entryID(n int) string { return ID(entry(n).Statements) }

// A life records the promises made during one use of a store.
type life struct {
	stored      map[string]bool   // IDs that must be there
	moving      string            // an ID that may be in quarantine meanwhile
	quarantined map[string]bool   // IDs that must be in quarantine
	findings    map[string]string // signature → message that must be there
	saving      string            // a signature with a message that may be the next one
	noted       bool              // the file written by hand has its name
}

const byHand = "foray corpus v1\n// mind the gap\nv0 := queue.New(77)\n"

// run uses the store on d until something fails, and returns the promises.
func run(d *disk, parallel int) (life, error) {
	l := life{stored: map[string]bool{}, quarantined: map[string]bool{}, findings: map[string]string{}}
	s, err := open(testDir, d)
	if err != nil {
		return l, err
	}
	s.parallel = parallel
	put := func(ns ...int) error {
		var batch []Entry
		for _, n := range ns {
			batch = append(batch, entry(n))
		}
		if err := s.Put(batch...); err != nil {
			return err
		}
		for _, e := range batch {
			l.stored[ID(e.Statements)] = true
		}
		return nil
	}
	finding := func(message string) error {
		l.saving = "panic (*Queue).Get"
		err := s.PutFinding(Finding{Signature: l.saving, Message: message, Test: "package queue_test // " + message})
		if err == nil {
			l.findings[l.saving] = message
			l.saving = ""
		}
		return err
	}
	steps := []func() error{
		func() error { return put(1, 2, 3) },
		func() error { return finding("one") },
		func() error { return put(3, 4) },
		func() error {
			l.moving = entryID(2)
			if err := s.Quarantine(Departure{l.moving, "New is gone"}); err != nil {
				return err
			}
			delete(l.stored, l.moving)
			l.quarantined[l.moving] = true
			l.moving = ""
			return nil
		},
		func() error {
			if _, _, n := d.find(testDir + "/entries/mine"); n == nil {
				d.put(testDir+"/entries/mine", byHand)
			}
			_, problems, err := s.Load()
			for _, p := range problems {
				if p.Moved == "" || strings.Contains(p.Err.Error(), "failed") {
					return fmt.Errorf("%v", p)
				}
			}
			if err == nil {
				l.noted = true
				l.stored[ID("v0 := queue.New(77)")] = true
			}
			return err
		},
		func() error { return finding("two") },
		func() error { return put(5, 6, 7, 8) },
		func() error { return s.SaveState(map[string]int{"runs": 7}) },
		func() error { return s.SaveProfile([]int{7}) },
		func() error { return put(1, 9) },
		func() error {
			l.moving = entryID(6)
			if err := s.Distill([]Entry{entry(20)}, []Departure{{l.moving, "New is gone"}, {entryID(99), "not there"}}); err != nil {
				return err
			}
			delete(l.stored, l.moving)
			l.stored[entryID(20)], l.quarantined[l.moving] = true, true
			l.moving = ""
			return nil
		},
		func() error {
			l.moving = entryID(6)
			delete(l.quarantined, l.moving)
			l.stored[l.moving] = true
			if _, lost, err := s.Undo(); err != nil || lost != 0 {
				return cmp.Or(err, fmt.Errorf("corpus: %d entries are lost", lost))
			}
			l.moving = ""
			return nil
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// check opens the store on d and compares it with the promises.
func (l life) check(t *testing.T, d *disk) {
	t.Helper()
	s, err := open(testDir, d)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	entries, problems, err := s.Load()
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	got := map[string]bool{}
	for _, e := range entries {
		got[e.ID] = true
	}
	aside := d.files(testDir + "/quarantine")
	for id := range l.stored {
		if _, ok := aside[id]; ok && id == l.moving {
			continue
		}
		if !got[id] {
			t.Errorf("entry %s was stored and is gone", id)
		}
	}
	for id := range l.quarantined {
		if e, err := decode([]byte(aside[id])); err != nil || e.ID != id || !strings.Contains(aside[id+".reason"], "New is gone") {
			t.Errorf("entry %s was set aside and is gone, or without its reason", id)
		}
	}
	for _, p := range problems {
		if p.File != "entries/mine" || l.noted {
			t.Errorf("problem: %v", p)
		}
	}
	l.checkFindings(t, s)
	var state map[string]int
	if err := s.LoadState(&state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadState: %v", err)
	}
}

func (l life) checkFindings(t *testing.T, s *Store) {
	t.Helper()
	findings, problems, err := s.Findings()
	if err != nil || len(problems) > 0 {
		t.Errorf("Findings: %v, problems %v", err, problems)
	}
	found := map[string]string{}
	for _, f := range findings {
		found[f.Signature] = f.Message
		if want := "package queue_test // " + f.Message; f.Test != want {
			t.Errorf("finding %q: test %q, want %q", f.Signature, f.Test, want)
		}
	}
	for signature, message := range l.findings {
		if got := found[signature]; got != message && (l.saving != signature || got == "") {
			t.Errorf("finding %q: message %q, want %q", signature, got, message)
		}
	}
}

// Power is cut at each call. In every state of the disk, the next process finds
// everything promised, nothing it calls broken, and can go on.
func TestPowerCut(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for _, parallel := range []int{1, 4} {
		whole := newDisk()
		if _, err := run(whole, parallel); err != nil {
			t.Fatal(err)
		}
		for op := 1; op <= whole.ops; op++ {
			for seed := range seeds {
				t.Run(fmt.Sprintf("parallel=%d/op=%d/seed=%d", parallel, op, seed), func(t *testing.T) {
					d := newDisk()
					d.powerCut(op)
					l, err := run(d, parallel)
					if err != nil && !errors.Is(err, errPowerCut) {
						t.Fatal(err)
					}
					var r *rand.Rand
					if seed > 0 {
						r = rand.New(rand.NewPCG(seed, uint64(op)))
					}
					left := d.afterCut(r)
					l.check(t, left)
					if _, err := run(left, parallel); err != nil {
						t.Errorf("going on: %v", err)
					}
				})
			}
		}
	}
}

// A process is killed at each call, another runs to its end, then the power is
// cut. The second must not trust files that the first did not make durable.
func TestKillThenPowerCut(t *testing.T) {
	whole := newDisk()
	if _, err := run(whole, 1); err != nil {
		t.Fatal(err)
	}
	for op := 1; op <= whole.ops; op++ {
		t.Run(fmt.Sprintf("op=%d", op), func(t *testing.T) {
			d := newDisk()
			d.powerCut(op)
			if _, err := run(d, 1); !errors.Is(err, errPowerCut) && !strings.Contains(fmt.Sprint(err), errPowerCut.Error()) {
				t.Fatal(err)
			}
			d.fault = nil
			l, err := run(d, 1)
			if err != nil {
				t.Fatal(err)
			}
			l.check(t, d.afterCut(nil))
		})
	}
}

// Unsynced copies of files become durable by a Put of the same entry, and by a
// Load that gives them a name.
func TestPowerCutAfterCopy(t *testing.T) {
	_, data, err := encode(entry(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{entryID(1), "mine"} {
		d := newDisk()
		s := openTest(t, d)
		f, err := d.Create(testDir + "/entries/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
		if name == "mine" {
			loadTest(t, s)
		} else if err := s.Put(entry(1)); err != nil {
			t.Fatal(err)
		}
		life{stored: map[string]bool{entryID(1): true}}.check(t, d.afterCut(nil))
	}
}

// Each call fails once, in each way. The promises hold, and the next process
// can go on.
func TestFaults(t *testing.T) {
	whole := newDisk()
	if _, err := run(whole, 1); err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		for op := 1; op <= whole.ops; op++ {
			t.Run(fmt.Sprintf("%v/op=%d", fault, op), func(t *testing.T) {
				d := newDisk()
				d.fault = func(n int, _ string) error {
					if n == op {
						return fault
					}
					return nil
				}
				l, err := run(d, 1)
				if err != nil && !errors.Is(err, fault) && !strings.Contains(err.Error(), fault.Error()) {
					t.Errorf("error %q, want one that is %q", err, fault)
				}
				if err != nil && !strings.HasPrefix(err.Error(), "corpus: ") && !strings.HasPrefix(err.Error(), "entries/") {
					t.Errorf("error %q does not name the place", err)
				}
				if err == nil && !mayFail(d.seen[op-1], fault) {
					t.Errorf("no error, though %q failed", d.seen[op-1])
				}
				d.fault = nil
				for name := range d.files(testDir) {
					if strings.Contains(name, tempPrefix) {
						t.Errorf("left behind: %s", name)
					}
				}
				l.check(t, d)
				if _, err := run(d, 1); err != nil {
					t.Errorf("going on: %v", err)
				}
			})
		}
	}
}

// mayFail reports whether a call may fail without failing its caller. Load
// looks twice at files that it cannot read the first time. A directory that
// exists need not be made. Directories above may be closed to the process.
func mayFail(call string, fault error) bool {
	if dir, ok := strings.CutPrefix(call, "syncdir "); ok {
		return fault == syscall.EACCES && strings.HasPrefix(testDir, strings.TrimSuffix(dir, "/")+"/")
	}
	for _, prefix := range []string{"mkdir " + testDir + "/findings/", "lstat " + testDir + "/entries/", "read " + testDir + "/entries/"} {
		if strings.HasPrefix(call, prefix) {
			return true
		}
	}
	return false
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		fault error
		is    error
		want  string
	}{
		{syscall.ENOSPC, syscall.ENOSPC, "no space left on device"},
		{syscall.EROFS, fs.ErrPermission, "read-only file system"},
		{syscall.EROFS, syscall.EROFS, "read-only file system"},
		{syscall.EACCES, fs.ErrPermission, "permission denied"},
	} {
		d := newDisk()
		s, err := open(testDir, d)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put(entry(1)); err != nil {
			t.Fatal(err)
		}
		d.fault = func(_ int, what string) error {
			switch op, _, _ := strings.Cut(what, " "); op {
			case "lstat", "read", "readdir", "close":
				return nil
			}
			return test.fault
		}
		for what, err := range map[string]error{
			"Put":         s.Put(entry(2)),
			"Quarantine":  s.Quarantine(Departure{entryID(1), "test"}),
			"PutFinding":  s.PutFinding(Finding{Signature: "x"}),
			"SaveState":   s.SaveState(1),
			"SaveProfile": s.SaveProfile(1),
			"Distill":     s.Distill(nil, []Departure{{entryID(1), "test"}}),
		} {
			if !errors.Is(err, test.is) || !strings.HasPrefix(fmt.Sprint(err), "corpus: ") || !strings.HasSuffix(fmt.Sprint(err), test.want) {
				t.Errorf("%s on a disk with %v: error %v, want %q", what, test.fault, err, test.want)
			}
		}
		d.put(testDir+"/entries/mine", byHand)
		d.put(testDir+"/entries/broken", "")
		entries, problems, err := s.Load()
		if err != nil || len(entries) != 2 || len(problems) != 2 {
			t.Errorf("Load on a disk with %v: %d entries, problems %v, error %v; want 2 entries, 2 problems", test.fault, len(entries), problems, err)
		}
		for _, p := range problems {
			if p.Moved != "" {
				t.Errorf("problem %v: moved, on a disk that cannot be written", p)
			}
		}
	}
}
