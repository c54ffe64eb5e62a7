package farm

import (
	"context"
	"fmt"

	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// ControlState says what a farm is told to do.
type ControlState string

// What a farm can be told.
const (
	Running  ControlState = "running"
	Paused   ControlState = "paused"   // no job is given out
	Draining ControlState = "draining" // likewise, and the farm ends once none runs
)

type control struct {
	State ControlState `json:"state"`
}

// SetState tells a farm what to do. It is in the store, so that it holds for later starts,
// too; but a start after a drain runs.
func SetState(ctx context.Context, s store.Store, to ControlState) error {
	return update(ctx, s, controlName, func(c *control) error {
		c.State = to
		return nil
	})
}

func readState(ctx context.Context, s store.Store) (ControlState, error) {
	c := control{State: Running}
	_, err := store.ReadManifest(ctx, s, controlName, &c)
	return c.State, err
}

// silenced are the findings that nobody wants to hear of: reasons by key.
type silenced struct {
	Reasons map[string]string `json:"reasons"`
}

// Silence has a finding counted and not told any more; without a reason it is told again. A
// finding is named by its key or its signature.
func Silence(ctx context.Context, s store.Store, name, reason string) error {
	v, err := Read(ctx, s)
	if err != nil {
		return err
	}
	var keys []string
	for _, f := range v.Findings {
		if f.Key == name || f.Signature == name {
			keys = append(keys, f.Key)
		}
	}
	if len(keys) == 0 {
		return fmt.Errorf("%q: no finding has this signature or key", name)
	}
	return update(ctx, s, silencedName, func(m *silenced) error {
		if m.Reasons == nil {
			m.Reasons = map[string]string{}
		}
		for _, key := range keys {
			delete(m.Reasons, key)
			if reason != "" {
				m.Reasons[key] = reason
			}
		}
		return nil
	})
}

// targetList is what the farm fuzzes at present.
type targetList struct {
	Targets  []record.Target `json:"targets"`
	Problems []Problem       `json:"problems"`
}
