package farm

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// A receiver that does not answer holds the farm up for less than it takes until others think it
// dead. What it was not told, it is told later.
func TestTellChangesIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.OpenDir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		run := &record.Run{Job: record.JobID{Epoch: 1, Seq: 1}, Target: "0123456789abcdef", Ended: "time"}
		const findings = 20
		for i := range findings {
			run.Seen = append(run.Seen, record.Seen{Signature: fmt.Sprint("panic:index:F", i), Tier: "error"})
		}
		told, answers := map[string]int{}, false
		k := &keeper{owner: &ownership{}, ledger: ledger.New(1), complaints: map[string]*work.Complaint{}, Config: &Config{
			Store: s, Now: time.Now, Log: t.Logf,
			Changed: func(_ context.Context, _ *View, f *ledger.Finding, _ int) error {
				if !answers {
					time.Sleep(10 * time.Second)
					return errors.New("webhook: no answer")
				}
				told[f.Key]++
				return nil
			},
		}}
		k.ledger.Add(run)
		began := time.Now()
		k.tellChanges(t.Context())
		if took := time.Since(began); took >= beatSilent {
			t.Errorf("the farm stood still for %v, want less than %v", took, beatSilent)
		}
		answers = true
		k.tellChanges(t.Context())
		k.tellChanges(t.Context())
		if len(told) != findings {
			t.Errorf("told %d findings, want %d", len(told), findings)
		}
		for key, n := range told {
			if n != 1 {
				t.Errorf("told %s %d times", key, n)
			}
		}
	})
}

// A run that comes late may take a change back. A finding that is open after all is told again, and
// so is each change after that, with a number of its own.
func TestTellChangesLate(t *testing.T) {
	s, err := store.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	k := &keeper{owner: &ownership{}, ledger: ledger.New(1), complaints: map[string]*work.Complaint{}, Config: &Config{
		Store: s, Now: time.Now, Log: t.Logf,
		Changed: func(_ context.Context, _ *View, f *ledger.Finding, n int) error {
			told = append(told, fmt.Sprint(n, " ", f.Open()))
			return nil
		},
	}}
	const signature, fixed = "panic:index:F", true
	for _, step := range []struct {
		seq   uint64
		build string
		fixed bool
		want  string // told last
	}{
		{1, "b1", !fixed, "1 true"},
		{3, "b2", fixed, "2 false"},
		{2, "b2", !fixed, "3 true"}, // it fails in the code in which it was fixed
		{4, "b3", fixed, "4 false"},
		{5, "b3", !fixed, "5 true"},
		{6, "b4", fixed, "6 false"},
	} {
		run := &record.Run{Job: record.JobID{Epoch: 1, Seq: step.seq}, Target: "0123456789abcdef", Build: step.build, Ended: "time"}
		if step.fixed {
			run.Fixed = []string{signature}
		} else {
			run.Seen = []record.Seen{{Signature: signature, Tier: "error"}}
		}
		k.ledger.Add(run)
		n := len(told)
		k.tellChanges(t.Context())
		k.tellChanges(t.Context())
		if len(told) != n+1 || told[n] != step.want {
			t.Errorf("after job %d: told %q, want %q at last, once", step.seq, told, step.want)
		}
	}
}

// slow is a store that answers late, and cannot be read. It notes when the owner says that it lives.
type slow struct {
	store.Store
	beats []time.Time
}

func (s *slow) Get(context.Context, string) ([]byte, store.Revision, error) {
	time.Sleep(4 * time.Second)
	return nil, "", errors.New("store: no answer")
}

func (s *slow) List(ctx context.Context, _ string) ([]string, error) {
	_, _, err := s.Get(ctx, "")
	return nil, err
}

func (s *slow) Swap(context.Context, string, []byte, store.Revision) (store.Revision, error) {
	s.beats = append(s.beats, time.Now())
	return "", nil
}

// A farm says that it lives in time, however long it takes to look at the queue.
func TestBeatsBesideSlowTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{beats: []time.Time{time.Now()}}
		k := &keeper{owner: &ownership{store: s}, ledger: ledger.New(1), complaints: map[string]*work.Complaint{}, Config: &Config{Store: s, Now: time.Now, Log: t.Logf}}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if err := k.loop(ctx, make(chan error, 1)); err != nil {
			t.Fatal(err)
		}
		for i, at := range append(s.beats, time.Now())[1:] {
			if silent := at.Sub(s.beats[i]); silent >= beatSilent {
				t.Errorf("the farm was silent for %v, want less than %v", silent, beatSilent)
			}
		}
	})
}
