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
			Changed: func(_ context.Context, _ *View, f *ledger.Finding) error {
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
