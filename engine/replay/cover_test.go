package replay

import (
	"context"
	"errors"
	"testing"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
)

// A sequence that ends its process is left out, wherever it stands; all others stay.
func TestCover(t *testing.T) {
	table := workertest.Table("Crash", "Leave", "Unwind")
	const (
		fine   = "v0 := planted.New(); v0.Put(5); v1 := v0.Get()"
		panics = "v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Crash()"
		leaves = "v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave()"
		ends   = "v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Unwind()"
	)
	for _, tt := range []struct {
		name  string
		texts []string
		want  int
	}{
		{"none", nil, 0},
		{"all well", []string{fine, panics, fine}, 0},
		{"the first", []string{leaves, fine}, 1},
		{"the last", []string{fine, leaves}, 1},
		{"several", []string{fine, leaves, ends, fine, leaves}, 3},
		{"all", []string{leaves, ends}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config(t, table)
			var list []seq.Sequence
			for _, text := range tt.texts {
				list = append(list, workertest.Parse(t, table, text))
			}
			workertest.LeavesNothing(t, func() {
				if left, err := Cover(t.Context(), c, list); left != tt.want || err != nil {
					t.Errorf("Cover leaves out %d, %v, want %d", left, err, tt.want)
				}
			})
		})
	}
}

func TestCoverCancelled(t *testing.T) {
	c := config(t, workertest.Table())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Cover(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
