package farm

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// Names of manifests.
const (
	ownerName    = record.OwnerName
	controlName  = "manifest/control"
	targetsName  = "manifest/targets"
	silencedName = "manifest/silenced"
	toldName     = "manifest/told"
	bisectedName = "manifest/bisected"
	versionsName = "manifest/versions"
)

// An Owner is the one process that gives out the jobs of a store.
type Owner struct {
	Format   int          `json:"format"`  // of the store
	Farm     string       `json:"farm"`    // random; stays with the store
	Version  string       `json:"version"` // of foray
	Epoch    uint64       `json:"epoch"`   // counts the starts
	Host     string       `json:"host"`
	PID      int          `json:"pid"`
	PIDSpace string       `json:"pid_space,omitempty"` // in which PID is the process; empty: not known
	Started  time.Time    `json:"started"`
	Ended    time.Time    `json:"ended,omitzero"`
	State    ControlState `json:"state"`
	Beat     uint64       `json:"beat"` // grows while it lives
	Released bool         `json:"released"`
	Queue    queue.Depth  `json:"queue"`
	Workers  []WorkerSeen `json:"workers,omitempty"`
	Revision string       `json:"revision,omitempty"`
}

// WorkerSeen is a worker that has stored something.
type WorkerSeen struct {
	Name    string    `json:"name"`
	Last    time.Time `json:"last"`
	Objects int       `json:"objects"`
}

// format is the newest layout of a store.
const format = 1

// How often an owner says that it lives, and how long a silent one is waited for.
const (
	beatEvery  = 10 * time.Second
	beatSilent = 35 * time.Second
)

// An OwnedError says that another farm works on the store.
type OwnedError struct{ Owner Owner }

func (e *OwnedError) Error() string {
	return fmt.Sprintf("another farm works on this store: process %d on %s, since %s", e.Owner.PID, e.Owner.Host, e.Owner.Started.Local().Format(time.DateTime))
}

// ownership is the right to give out jobs. Its holder notices at the next beat if it has
// lost it.
type ownership struct {
	store store.Store
	rev   store.Revision
	Owner
}

// endedBefore reports whether the process of an owner is known to have ended, by another one.
func (o *Owner) endedBefore(me *Owner) bool {
	return o.PIDSpace != "" && o.PIDSpace == me.PIDSpace && (o.PID == me.PID || !alive(o.PID))
}

// same reports whether two records are of one start of one process.
func (o *Owner) same(as *Owner) bool {
	return o.Farm == as.Farm && o.Epoch == as.Epoch && o.Host == as.Host && o.PID == as.PID && o.PIDSpace == as.PIDSpace && o.Started.Equal(as.Started)
}

// own takes the ownership of a store. If its owner did not say that it has ended, own waits
// until it has been silent for three beats; silent tells that, as long as ctx lasts.
func own(ctx context.Context, s store.Store, now Owner, silent func(was Owner, rev store.Revision) (bool, error)) (*ownership, error) {
	was, rev, err := readOwner(ctx, s)
	if err != nil {
		return nil, err
	}
	if was.Format > format {
		return nil, fmt.Errorf("the store has layout %d, this foray knows %d at most: use a newer foray", was.Format, format)
	}
	if rev != "" && !was.Released {
		gone, err := silent(was, rev)
		if err != nil {
			return nil, err
		}
		if !gone {
			return nil, &OwnedError{was}
		}
	}
	now.Format, now.Epoch, now.Beat, now.Farm = format, was.Epoch+1, was.Beat+1, cmp.Or(was.Farm, rand.Text())
	o := &ownership{store: s, rev: rev, Owner: now}
	if err := o.beat(ctx); err != nil {
		if errors.Is(err, store.ErrConflict) {
			if was, _, readErr := readOwner(ctx, s); readErr == nil {
				return nil, &OwnedError{was}
			}
		}
		return nil, err
	}
	return o, nil
}

// beat stores the state of the owner. The error is store.ErrConflict if another has taken
// the store over.
func (o *ownership) beat(ctx context.Context) error {
	o.Beat++
	data, err := json.Marshal(&o.Owner)
	if err != nil {
		return err
	}
	rev, err := o.store.Swap(ctx, ownerName, data, o.rev)
	if errors.Is(err, store.ErrConflict) {
		// The beat before may have been stored, though its answer was lost.
		if is, now, readErr := readOwner(ctx, o.store); readErr == nil && is.same(&o.Owner) {
			rev, err = o.store.Swap(ctx, ownerName, data, now)
		}
	}
	if err == nil {
		o.rev = rev
	}
	return err
}

// release says that the owner has ended.
func (o *ownership) release(ctx context.Context, at time.Time) error {
	o.Released, o.Ended = true, at
	return o.beat(ctx)
}

// readOwner returns the owner of a store, the zero one if there has never been any.
func readOwner(ctx context.Context, s store.Store) (Owner, store.Revision, error) {
	var o Owner
	rev, err := store.ReadManifest(ctx, s, ownerName, &o)
	return o, rev, err
}

// update changes a manifest, as often as others are faster. change gets what is stored.
func update[T any](ctx context.Context, s store.Store, name string, change func(*T) error) error {
	for {
		v := new(T)
		rev, err := store.ReadManifest(ctx, s, name, v)
		if err == nil {
			err = change(v)
		}
		if err != nil {
			return err
		}
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if _, err = s.Swap(ctx, name, data, rev); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// watch reports whether an owner has been silent for three beats.
func watch(ctx context.Context, s store.Store, rev store.Revision, every, span time.Duration) (bool, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for waited := time.Duration(0); waited < span; waited += every {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
		}
		_, now, err := readOwner(ctx, s)
		if err != nil {
			return false, err
		}
		if now != rev {
			return false, nil
		}
	}
	return true, nil
}
