package store

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestWriterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		s := openTest(t, d)
		w := s.NewWriter()
		add := func(n int) {
			t.Helper()
			if err := w.Add(entry(n)); err != nil {
				t.Fatal(err)
			}
		}
		stored := func() int {
			synctest.Wait()
			return len(d.files(testDir + "/entries"))
		}
		add(1)
		time.Sleep(60 * time.Millisecond)
		add(2)
		time.Sleep(39 * time.Millisecond)
		if n := stored(); n != 0 {
			t.Errorf("after 99 ms: %d entries, want 0", n)
		}
		time.Sleep(2 * time.Millisecond)
		if n := stored(); n != 2 {
			t.Errorf("after 101 ms: %d entries, want 2", n)
		}
		for n := range 99 {
			add(n)
		}
		if n := stored(); n != 2 {
			t.Errorf("after 99 more: %d entries, want 2", n)
		}
		add(99)
		if n := stored(); n != 100 {
			t.Errorf("after 100 more, two of them known: %d entries, want 100", n)
		}
		add(100)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if n := stored(); n != 101 {
			t.Errorf("after Close: %d entries, want 101", n)
		}
		if err := w.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
		if err := w.Add(entry(1)); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Add after Close: %v, want %v", err, fs.ErrClosed)
		}
	}) // which fails if a goroutine is left
}

func TestWriterErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		s := openTest(t, d)
		w := s.newWriter(time.Minute, 1)
		if err := w.Add(Entry{Statements: "\x00"}); err == nil {
			t.Error("Add of what is no text: no error")
		}
		var full error
		d.fault = func(int, string) error { return full }
		for i, err := range []error{nil, syscall.ENOSPC, nil, syscall.EIO} {
			full = err
			if err := w.Add(entry(i)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // until the batch is committed
		}
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) { // the first
			t.Errorf("Close: %v, want %v", err, syscall.ENOSPC)
		}
		full = nil
		ids, problems := loadTest(t, s)
		if want := slices.Sorted(slices.Values([]string{entryID(0), entryID(2)})); !slices.Equal(ids, want) || len(problems) > 0 {
			t.Errorf("loaded %q, problems %v; want %q", ids, problems, want)
		}
	})
}

// What was written before the disk was full stays.
func TestPutPart(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	s.parallel = 1
	created := 0
	d.fault = func(_ int, what string) error {
		if strings.HasPrefix(what, "create ") {
			if created++; created > 2 {
				return syscall.ENOSPC
			}
		}
		return nil
	}
	if err := s.Put(entry(0), entry(1), entry(2), entry(3)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Put: %v, want %v", err, syscall.ENOSPC)
	}
	d.fault = nil
	ids, problems := loadTest(t, s)
	if want := slices.Sorted(slices.Values([]string{entryID(0), entryID(1)})); !slices.Equal(ids, want) || len(problems) > 0 {
		t.Errorf("loaded %q, problems %v; want %q", ids, problems, want)
	}
}

// Writers, Puts, loads and quarantines at once, on a real directory.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var writers []*Writer
	for g := range 4 {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		w := s.newWriter(time.Millisecond, 7)
		writers = append(writers, w)
		for half := range 2 {
			wg.Go(func() {
				for n := half; n < 40; n += 2 {
					if err := w.Add(entry(g*20 + n)); err != nil { // overlaps with g+1
						t.Error(err)
					}
				}
			})
		}
		wg.Go(func() {
			own := entry(1000 + g)
			for range 3 {
				if err := s.Put(own, entry(500)); err != nil {
					t.Error(err)
				}
				if _, problems, err := s.Load(); err != nil || len(problems) > 0 {
					t.Errorf("Load: %v, problems %v", err, problems)
				}
				if err := s.Quarantine(Departure{ID(own.Statements), "test"}); err != nil {
					t.Error(err)
				}
				if err := s.PutFinding(Finding{Signature: "shared"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	ids, problems := loadTest(t, s)
	if len(ids) != 101 || len(problems) > 0 { // 0 to 99, and 500
		t.Errorf("%d entries, problems %v; want 101, none", len(ids), problems)
	}
}
