// Package farm fuzzes many targets, on one machine or many, for as long as it runs. It
// keeps one corpus for each target and a history of findings.
//
// The parts, from below:
//
//	record     the things that are written down
//	store      where: a directory or a bucket; the only place that must not be lost
//	queue      handing out jobs, by NATS JetStream; may be lost at any time
//	fuzzrun    one job: foray fuzz as a process
//	work       a machine that takes jobs, and adds their results to the store
//	ledger     what all results together say of targets and findings
//	schedule   which target is next
//	discover   which targets there are
//
// [Run] is the one process that gives out jobs. It holds no state that is not in the store
// or follows from it: it may be killed and started again at any time.
package farm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/schedule"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// Config is what a farm runs with.
type Config struct {
	Store    store.Store
	Queue    *queue.Broker
	Targets  func(context.Context) ([]record.Target, []Problem) // finds what to fuzz
	Worker   *work.Worker                                       // in this process; nil: only others work
	Slots    int                                                // jobs at once in this process
	Job      time.Duration                                      // of one job
	Duration time.Duration                                      // of the run; 0: until ctx ends
	Jobs     int                                                // results to end after; 0: any number
	Retain   time.Duration                                      // retired entries; 0: 30 days
	Version  string                                             // of foray
	Revision func(context.Context) string                       // the commit under test, if it is known; may be nil
	Seed     uint64                                             // of the first job
	Log      func(format string, args ...any)
	// Changed is told each change of the state of a finding once, unless it is silenced, with the
	// number of the change. If it fails, it is told again later.
	Changed func(ctx context.Context, v *View, f *ledger.Finding, n int) error
	Tick    func(v *View) // told the state now and then
	Now     func() time.Time
	every   time.Duration // between looks at the queue; 0: tickEvery
}

// keeper is a running farm.
type keeper struct {
	*Config
	owner    *ownership
	ledger   *ledger.Ledger
	schedule schedule.Scheduler
	targets  []record.Target
	problems []Problem // of packages without targets
	revision string    // in which they were found
	versions versions
	poisoned map[string]bool // target and build of jobs that ended workers
	told     map[string]int  // changes of each finding that have been told
	workers  map[string]*WorkerSeen
	// distilling has, for targets with a job of distilling, the one before it.
	distilling map[string]string
	news       chan queue.News
	seq        uint64
	complaints map[string]*work.Complaint // by what could not be done
	before     int                        // runs of earlier starts
	state      ControlState
}

// How often the queue is looked at, the store is searched for runs whose news were lost,
// and targets are looked for.
const (
	tickEvery     = time.Second
	rescanEvery   = time.Minute
	discoverEvery = 10 * time.Minute
	pruneEvery    = time.Hour
	showEvery     = 3 * time.Second
)

// Run runs a farm until its time is up, it is drained, or ctx ends. It returns the state at
// the end.
func Run(ctx context.Context, c Config) (*View, error) {
	k := &keeper{
		Config: &c, poisoned: map[string]bool{}, workers: map[string]*WorkerSeen{}, distilling: map[string]string{},
		complaints: map[string]*work.Complaint{}, news: make(chan queue.News, 1024), state: Running,
	}
	if err := k.begin(ctx); err != nil {
		if k.owner != nil {
			err = errors.Join(err, k.owner.release(context.WithoutCancel(ctx), k.Now()))
		}
		return nil, err
	}
	err := k.run(ctx)
	done := context.WithoutCancel(ctx)
	if _, loadErr := k.rescan(done); err == nil {
		err = loadErr
	}
	k.tellChanges(done)
	if !errors.Is(err, errTakenOver) {
		k.complain(done, "release", k.Queue.Release(done))
	}
	k.owner.Queue = queue.Depth{}
	if releaseErr := k.owner.release(done, k.Now()); err == nil {
		err = releaseErr
	}
	v, viewErr := k.view(done)
	return v, errors.Join(err, viewErr)
}

// begin takes the store over, and reads it.
func (k *keeper) begin(ctx context.Context) error {
	host, _ := os.Hostname()
	me := Owner{Version: k.Version, Host: host, PID: os.Getpid(), PIDSpace: pidSpace(), Started: k.Now(), State: Running, Revision: k.commit(ctx)}
	var err error
	k.owner, err = own(ctx, k.Store, me, func(was Owner, rev store.Revision) (bool, error) {
		if was.endedBefore(&me) {
			return true, nil
		}
		k.Log("waiting whether the farm that used this store lives (process %d on %s)", was.PID, was.Host)
		return watch(ctx, k.Store, rev, time.Second, beatSilent)
	})
	if err != nil {
		return err
	}
	if state, err := readState(ctx, k.Store); err != nil {
		return err
	} else if state == Draining {
		if err := SetState(ctx, k.Store, Running); err != nil {
			return err
		}
	}
	k.ledger = ledger.New(k.owner.Epoch)
	problems, err := k.rescan(ctx)
	for _, p := range problems {
		k.Log("%s: %s: not used", p.Place, p.Msg)
	}
	if err != nil {
		return err
	}
	k.before = k.ledger.Runs()
	var t told
	if _, err := store.ReadManifest(ctx, k.Store, toldName, &t); err != nil {
		return err
	}
	k.told = t.Changes
	return k.setup(ctx)
}

// setupTime is how long the queue may fail to answer at the start: a cluster that has lost a
// server chooses another leader.
const setupTime = time.Minute

// setup makes the queue, empty.
func (k *keeper) setup(ctx context.Context) error {
	until := time.Now().Add(setupTime)
	for {
		err := k.Queue.Claim(ctx, k.owner.Farm, k.Version)
		if err == nil {
			err = k.Queue.Setup(ctx)
		}
		if err == nil {
			err = k.Queue.Clear(ctx)
		}
		if err == nil || ctx.Err() != nil || errors.Is(err, queue.ErrNoJetStream) || errors.Is(err, queue.ErrClaimed) || time.Now().After(until) {
			return err
		}
		k.Log("%v; trying again", err)
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(k.every, tickEvery)):
		}
	}
}

// run gives out jobs and takes in results.
func (k *keeper) run(ctx context.Context) error {
	if k.Duration > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, k.Duration)
		defer cancel()
	}
	if err := k.begun(ctx); err != nil {
		return err
	}
	stop, err := k.Queue.Listen(func(n queue.News) {
		select {
		case k.news <- n:
		default: // the next rescan finds it
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	working, endWork := context.WithCancel(ctx)
	worked := make(chan error, 1)
	go func() {
		if k.Worker == nil {
			<-working.Done()
			worked <- nil
			return
		}
		worked <- k.Worker.Run(working, k.Slots)
	}()
	err = k.loop(ctx, worked)
	endWork()
	return errors.Join(err, <-worked)
}

// A chore is done now and then.
type chore struct {
	name  string
	every time.Duration
	last  time.Time
	do    func(context.Context) error
}

// chores are what is done besides giving out jobs and taking in results.
func (k *keeper) chores() []*chore {
	return []*chore{
		{name: "show", every: showEvery, do: k.show},
		{name: "beat", every: beatEvery, do: k.beat},
		{name: "rescan", every: rescanEvery, do: func(ctx context.Context) error {
			_, err := k.rescan(ctx)
			k.tellChanges(ctx)
			return err
		}},
		{name: "discover", every: discoverEvery, do: k.discover},
		{name: "prune", every: pruneEvery, do: k.prune},
	}
}

// loop is the one goroutine that changes the state of the farm.
func (k *keeper) loop(ctx context.Context, worked chan error) error {
	every := cmp.Or(k.every, tickEvery)
	tick := time.NewTicker(every)
	defer tick.Stop()
	chores := k.chores()
	for _, c := range chores {
		c.last = time.Now()
	}
	for {
		if k.tick(ctx) {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-worked:
			worked <- nil
			return err
		case n := <-k.news:
			k.take(ctx, n)
			continue
		case <-tick.C:
		}
		now := time.Now() // a tick may take longer than the time between two, and come a little early
		for _, c := range chores {
			if now.Sub(c.last) < c.every-every/2 {
				continue
			}
			c.last = now
			err := c.do(ctx)
			if errors.Is(err, errTakenOver) {
				return err
			}
			k.complain(ctx, c.name, err)
		}
	}
}

// complain tells an error, once as long as it lasts. Nil is its end.
func (k *keeper) complain(ctx context.Context, what string, err error) {
	c := k.complaints[what]
	if c == nil {
		c = new(work.Complaint)
		k.complaints[what] = c
	}
	if ctx.Err() == nil && c.News(err) {
		k.Log("%v; trying again", err)
	}
}

// errTakenOver ends a farm.
var errTakenOver = errors.New("another farm has taken over the store; this one ends")

// tick does what the farm is told to, and fills the queue. It reports whether the farm is
// drained.
func (k *keeper) tick(ctx context.Context) bool {
	if ctx.Err() != nil || k.Jobs > 0 && k.ledger.Runs()-k.before >= k.Jobs {
		return true
	}
	state, err := readState(ctx, k.Store)
	k.complain(ctx, "state", err)
	if err != nil {
		return false
	}
	if state != k.state {
		k.Log("%s", state)
		k.state = state
		if state != Running {
			if err := k.Queue.ClearWaiting(ctx); err != nil {
				k.Log("%v", err)
			}
		}
	}
	depth, err := k.Queue.Depth(ctx)
	if errors.Is(err, queue.ErrLost) {
		k.Log("the broker has lost the queue; it is filled again")
		err = k.Queue.Setup(ctx)
	}
	k.complain(ctx, "queue", err)
	if err != nil {
		return false
	}
	k.owner.Queue = depth
	switch k.state {
	case Draining:
		return depth.Running == 0
	case Running:
		k.fill(ctx, depth)
	}
	return false
}

// show tells the present state.
func (k *keeper) show(ctx context.Context) error {
	if k.Tick == nil {
		return nil
	}
	v, err := k.view(ctx)
	if err == nil {
		k.Tick(v)
	}
	return err
}

// fill adds jobs until as many wait as run.
func (k *keeper) fill(ctx context.Context, depth queue.Depth) {
	want := max(k.Slots, depth.Running, 1)
	if int(depth.Waiting) >= want {
		return
	}
	k.addDistill(ctx)
	weights := k.weights()
	for n := int(depth.Waiting); n < want; n++ {
		id := k.schedule.Next(weights, k.Job)
		i := slices.IndexFunc(k.targets, func(t record.Target) bool { return t.ID() == id })
		if i < 0 {
			return
		}
		if !k.add(ctx, "", &k.targets[i]) {
			return
		}
	}
}

// add puts a job into the queue and reports whether it could.
func (k *keeper) add(ctx context.Context, kind string, t *record.Target) bool {
	k.seq++
	job := &record.Job{
		ID: record.JobID{Epoch: k.owner.Epoch, Seq: k.seq}, Kind: kind, Target: *t, Seed: k.Seed + k.seq - 1, Seconds: k.Job.Seconds(),
		Created: k.Now().UTC(), Revision: k.revision, Version: k.Version, Farm: k.owner.Farm, Versions: k.versions.others(t),
	}
	err := k.Queue.Add(ctx, job)
	k.complain(ctx, "add", err)
	return err == nil
}

// distillFrom is how many entries a corpus has when it is first distilled; then it is when
// it has twice as many as distilling has left.
const distillFrom = 100

// addDistill has corpora distilled that have grown.
func (k *keeper) addDistill(ctx context.Context) {
	for i := range k.targets {
		t := &k.targets[i]
		known := k.ledger.Target(t.ID())
		if t.Fuzz != "" || known == nil || known.Entries < max(distillFrom, 2*known.AtDistill) {
			continue
		}
		// Once for each job of distilling that has a result, and once in this start.
		if at, ok := k.distilling[t.ID()]; ok && at == known.Distilled {
			continue
		}
		if k.add(ctx, record.Distill, t) {
			k.distilling[t.ID()] = known.Distilled
		}
	}
}

// weights returns the weight of each target.
func (k *keeper) weights() map[string]float64 {
	open := openErrors(k.ledger.Findings())
	weights := map[string]float64{}
	for i := range k.targets {
		t := &k.targets[i]
		id := t.ID()
		if !k.poisoned[id+t.Build] {
			weights[id] = schedule.Weight(k.ledger.Target(id), t.Build, open[id], k.Now())
		}
	}
	return weights
}

// take takes in news of an object.
func (k *keeper) take(ctx context.Context, n queue.News) {
	w := k.workers[n.Worker]
	if w == nil {
		if len(k.workers) > maxWorkers {
			clear(k.workers)
		}
		w = &WorkerSeen{Name: n.Worker}
		k.workers[n.Worker] = w
	}
	w.Last = k.Now()
	w.Objects++
	switch {
	case store.Check(n.Object) != nil:
		k.Log("worker %s tells of %.80q, which is no object", n.Worker, n.Object)
	case strings.HasPrefix(n.Object, "poison/"):
		k.readPoison(ctx)
	case strings.HasPrefix(n.Object, "runs/"):
		run, err := getRun(ctx, k.Store, n.Object)
		if err != nil {
			k.Log("worker %s: %v", n.Worker, err)
			return
		}
		if k.ledger.Add(run) {
			if run.Problem != "" {
				k.Log("%s: %s; tried again when the code changes, or in half an hour", k.name(run.Target), run.Problem)
			}
			k.tellChanges(ctx)
		}
	}
}

// maxWorkers bounds the names of workers that are kept.
const maxWorkers = 1000

// told are the changes of findings that have been told: the number of the last one, by key.
type told struct {
	Changes map[string]int `json:"changes"`
}

// untold returns the number of the last change of a finding, false if there is nothing to tell. A
// finding comes and is fixed by turns. A run that comes late may take changes back: what was
// told last may be wrong then.
func (k *keeper) untold(f *ledger.Finding) (n int, ok bool) {
	was, n := k.told[f.Key], len(f.Changes)
	if n < was && (was-n)%2 != 0 {
		n = was + 1
	}
	return n, n > was
}

// tellChanges tells the changes of findings that have not been told, and stores that they
// have been. A power cut between the two tells one twice, and none never. A receiver that is slow
// or does not answer gets the rest later: the farm must beat.
func (k *keeper) tellChanges(ctx context.Context) {
	isNews := func(f ledger.Finding) bool {
		_, ok := k.untold(&f)
		return ok
	}
	if !slices.ContainsFunc(k.ledger.Findings(), isNews) {
		return
	}
	v, err := k.view(ctx)
	if err != nil {
		k.complain(ctx, "changes", err)
		return
	}
	done, began := map[string]int{}, time.Now()
	for i := range v.Findings {
		if time.Since(began) >= beatEvery {
			break
		}
		f := &v.Findings[i]
		n, ok := k.untold(f)
		if !ok || f.State == ledger.StateSilenced {
			continue
		}
		if k.Changed != nil {
			err := k.Changed(ctx, v, f, n)
			k.complain(ctx, "tell", err)
			if err != nil {
				continue
			}
		}
		done[f.Key] = n
	}
	if len(done) == 0 {
		return
	}
	err = update(ctx, k.Store, toldName, func(t *told) error {
		if t.Changes == nil {
			t.Changes = map[string]int{}
		}
		maps.Copy(t.Changes, done)
		k.told = maps.Clone(t.Changes)
		return nil
	})
	k.complain(ctx, "changes", err)
}

func (k *keeper) name(id string) string {
	for i := range k.targets {
		if k.targets[i].ID() == id {
			return k.targets[i].String()
		}
	}
	return id
}

// rescan reads the runs that the ledger lacks.
func (k *keeper) rescan(ctx context.Context) ([]Problem, error) {
	k.readPoison(ctx)
	return load(ctx, k.Store, k.ledger)
}

func (k *keeper) readPoison(ctx context.Context) {
	list, err := readPoison(ctx, k.Store)
	k.complain(ctx, "poison", err)
	for i := range list {
		t := &list[i].Job.Target
		if key := t.ID() + t.Build; !k.poisoned[key] {
			k.poisoned[key] = true
			k.Log("%v: %s; parked until its code changes", t, list[i].Problem)
		}
	}
}

// A NoTargetsError is a farm that has nothing to fuzz at its start.
type NoTargetsError struct {
	Problems []Problem // why; none: no package has a target that is wanted
}

func (e *NoTargetsError) Error() string { return "nothing to fuzz" }

// begun looks for targets at the start. Without any the farm would wait for ever.
func (k *keeper) begun(ctx context.Context) error {
	if err := k.discover(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if len(k.targets) == 0 {
		return &NoTargetsError{k.problems}
	}
	for _, p := range k.problems {
		k.Log("%s: %s: not used", p.Place, p.Msg)
	}
	return nil
}

// discover looks for targets, and stores what there are.
func (k *keeper) discover(ctx context.Context) error {
	targets, problems := k.Targets(ctx)
	if ctx.Err() != nil {
		return nil
	}
	k.targets, k.problems, k.revision = targets, problems, k.commit(ctx)
	k.owner.Revision = k.revision
	err := update(ctx, k.Store, versionsName, func(v *versions) error {
		v.add(targets)
		k.versions = *v
		return nil
	})
	if err != nil {
		return err
	}
	return update(ctx, k.Store, targetsName, func(l *targetList) error {
		*l = targetList{targets, problems}
		return nil
	})
}

// commit returns the commit under test, "" if it is not known.
func (k *keeper) commit(ctx context.Context) string {
	if k.Revision == nil {
		return ""
	}
	return k.Revision(ctx)
}

// beat says that the farm lives. If another has taken the store over, it ends.
func (k *keeper) beat(ctx context.Context) error {
	k.owner.State = k.state
	k.owner.Workers = nil
	for _, name := range slices.Sorted(maps.Keys(k.workers)) {
		k.owner.Workers = append(k.owner.Workers, *k.workers[name])
	}
	err := k.owner.beat(ctx)
	if errors.Is(err, store.ErrConflict) {
		return errTakenOver
	}
	return err
}

// view returns the present state.
func (k *keeper) view(ctx context.Context) (*View, error) {
	v, err := viewOf(ctx, k.Store, k.ledger)
	if err != nil {
		return nil, err
	}
	v.Owner = k.owner.Owner
	weights := k.weights()
	for i := range v.Targets {
		v.Targets[i].Weight = weights[v.Targets[i].ID()]
	}
	return v, nil
}

// JSON returns a view as JSON, indented.
func (v *View) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	return append(data, '\n'), nil
}
