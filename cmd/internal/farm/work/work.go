// Package work runs the jobs of a farm on one machine.
//
// For each job a worker takes the target's corpus from the store and runs it. It adds to the
// store what is new: entries while it runs, then reports of findings, then the result.
// Only after that is the job done. Everything is an addition under a name that follows
// from the content, so a job that runs twice, or a worker that everybody thought dead,
// changes nothing.
package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// A Runner runs a job with its corpus below dir, as [fuzzrun.Runner] does.
type Runner interface {
	Run(ctx context.Context, job *record.Job, dir string) (*fuzzrun.Output, error)
	Distill(ctx context.Context, job *record.Job, dir string) error
}

// A Worker takes jobs from a queue and adds their results to a store.
type Worker struct {
	Name    string
	Version string // of foray; jobs of another are refused
	Store   store.Store
	Queue   *queue.Broker
	Runner  Runner
	Dir     string // for the corpora of jobs
	Log     func(format string, args ...any)
	Retry   time.Duration // before a try after an error; 0: 2 s
	mu      sync.Mutex
	farm    string // of the jobs so far
}

// maxDeliveries is how often a job is tried. A job that has ended three workers is parked.
const maxDeliveries = 3

// Run takes jobs in some slots at once, until ctx ends. A job under way then ends early,
// with its results.
func (w *Worker) Run(ctx context.Context, slots int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first error // all slots are refused for the same reason
	var once sync.Once
	var wg sync.WaitGroup
	for i := range slots {
		wg.Go(func() {
			if err := w.slot(ctx, filepath.Join(w.Dir, fmt.Sprintf("slot%d", i))); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	wg.Wait()
	return first
}

// takeTime is how long a slot waits for a job before it asks again.
const takeTime = 5 * time.Second

func (w *Worker) retry() time.Duration { return cmp.Or(w.Retry, 2*time.Second) }

// slot takes one job after the other.
func (w *Worker) slot(ctx context.Context, dir string) error {
	var told Complaint
	for ctx.Err() == nil {
		err := w.checkQueue(ctx)
		if err == nil {
			err = w.next(ctx, dir)
		}
		if refused := (*VersionError)(nil); errors.As(err, &refused) || errors.Is(err, ErrOtherStore) {
			return err
		}
		news := told.News(err)
		if err != nil && ctx.Err() == nil {
			if news {
				w.Log("%v; trying again", err)
			}
			wait(ctx, w.retry())
		}
	}
	return nil
}

// next does the next job, if there is one.
func (w *Worker) next(ctx context.Context, dir string) error {
	held, err := w.Queue.Take(ctx, takeTime)
	if err != nil || held == nil {
		return err
	}
	return w.job(ctx, held, dir)
}

// A Complaint is an error that is told once, however long it lasts.
type Complaint struct{ last string }

// News reports whether err is another error than the last one. Nil is the end of that one.
func (c *Complaint) News(err error) bool {
	was := c.last
	c.last = ""
	if err != nil {
		c.last = err.Error()
	}
	return c.last != "" && c.last != was
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A VersionError says that worker and farm are of different versions.
type VersionError struct{ Worker, Farm string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("this worker is foray %s, the farm is foray %s: install the same version on both", e.Worker, e.Farm)
}

// job runs a job and makes its results durable. If that fails, the job goes back.
func (w *Worker) job(ctx context.Context, held *queue.Held, dir string) error {
	if held.Err != nil { // no job, and never going to be one
		return errors.Join(held.Err, held.Done(ctx))
	}
	job := &held.Job
	if job.Version != w.Version {
		return errors.Join(&VersionError{w.Version, job.Version}, held.GiveBack())
	}
	if err := w.checkFarm(ctx, job.Farm); err != nil {
		return errors.Join(err, held.GiveBack())
	}
	if held.Deliveries > maxDeliveries {
		if err := w.park(ctx, held); err != nil {
			return errors.Join(err, held.GiveBack())
		}
		return held.Done(ctx)
	}
	do, place := w.do, job.Target.ID()
	if job.Kind == record.Distill {
		do, place = w.distill, "distill-"+place
	}
	if err := do(ctx, job, filepath.Join(dir, place)); err != nil {
		return errors.Join(err, held.GiveBack())
	}
	return held.Done(context.WithoutCancel(ctx))
}

// ErrOtherStore says that the jobs of a queue are of a farm with another store.
var ErrOtherStore = errors.New("the queue has jobs of a farm with another store: want the same -store and -url as foray farm run has")

// checkQueue returns why the worker would refuse the jobs of the queue. One that is refused has
// had a try.
func (w *Worker) checkQueue(ctx context.Context) error {
	farm, version, err := w.Queue.Farm(ctx)
	if err == nil && farm != "" && version != w.Version {
		err = &VersionError{w.Version, version}
	}
	if err != nil {
		return err
	}
	return w.checkFarm(ctx, farm)
}

// checkFarm returns ErrOtherStore if a farm is not that of the worker's store.
func (w *Worker) checkFarm(ctx context.Context, farm string) error {
	if farm == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.farm == farm {
		return nil
	}
	var owner struct {
		Farm string `json:"farm"`
	}
	if _, err := store.ReadManifest(ctx, w.Store, record.OwnerName, &owner); err != nil {
		return err
	}
	if owner.Farm != farm {
		return ErrOtherStore
	}
	w.farm = farm
	return nil
}

// persist calls f until it succeeds or ctx ends. An error is told once, however long it lasts. The
// worker keeps the job meanwhile: given back, it would come round again, and be parked as if it had
// ended its workers.
func (w *Worker) persist(ctx context.Context, t *record.Target, f func(context.Context) error) error {
	var told Complaint
	for {
		err := f(context.WithoutCancel(ctx))
		if err == nil || ctx.Err() != nil {
			return err
		}
		if told.News(err) {
			w.Log("%v: %v; trying again", t, err)
		}
		wait(ctx, w.retry())
	}
}

// park puts a job on the list of those that ended their workers.
func (w *Worker) park(ctx context.Context, held *queue.Held) error {
	p := record.Poison{
		Job: held.Job, Deliveries: held.Deliveries - 1,
		Problem: fmt.Sprintf("%d workers were lost while they ran it", held.Deliveries-1),
	}
	return w.put(ctx, p.Name(), &p)
}

// do runs a job in a directory.
func (w *Worker) do(ctx context.Context, job *record.Job, dir string) error {
	b := w.batch(job, dir)
	if err := w.persist(ctx, b.target, b.fetch); err != nil {
		return err
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { b.sendWhile(ctx, done) })
	var out *fuzzrun.Output
	err := w.persist(ctx, b.target, func(context.Context) (err error) {
		out, err = w.Runner.Run(ctx, job, dir)
		return err
	})
	close(done)
	wg.Wait()
	if err != nil {
		return err
	}
	run := &out.Run
	run.Job, run.Target, run.Build, run.Revision = job.ID, job.Target.ID(), job.Target.Build, job.Revision
	run.Created, run.Worker = job.Created, w.Name
	b.noteFixed(run)
	return w.persist(ctx, b.target, func(ctx context.Context) error { return b.finish(ctx, out) })
}

// finish stores all that a job gave, its result last.
func (b *batch) finish(ctx context.Context, out *fuzzrun.Output) error {
	ran := out.Run.Ended != record.EndedFailed && out.Run.Ended != record.EndedInterrupted
	if err := b.send(ctx, ran); err != nil {
		return err
	}
	if err := b.report(ctx, out); err != nil {
		return err
	}
	run := &out.Run
	run.NewEntries, run.Entries = b.added, b.live+b.added
	run.Trim()
	return b.put(ctx, run.Name(), run)
}

// put stores a record and tells the others.
func (w *Worker) put(ctx context.Context, name string, v any) error {
	data, err := record.Encode(v)
	if err != nil {
		return err
	}
	if _, err := w.Store.Put(ctx, name, data); err != nil {
		return err
	}
	return w.Queue.Tell(queue.News{Worker: w.Name, Object: name})
}

// batch is the corpus of one target on its way from the store and to it.
type batch struct {
	*Worker
	target  *record.Target
	others  []string // IDs of other versions of the target
	places  fuzzrun.Places
	have    map[string]bool // hashes of entries that are in the store
	offered map[string]bool // files of entries of other versions
	read    map[string]bool // files that have been looked at
	earlier []string        // signatures of findings that run again
	added   int
	live    int // entries that are not retired
	generation
}

func (w *Worker) batch(job *record.Job, dir string) *batch {
	t := &job.Target
	return &batch{Worker: w, target: t, others: job.Versions, places: fuzzrun.PlacesOf(t, dir), have: map[string]bool{}, offered: map[string]bool{}, read: map[string]bool{}}
}

// fetch brings entries and findings that the directory lacks.
func (b *batch) fetch(ctx context.Context) error {
	id := b.target.ID()
	var err error
	if b.generation, err = b.readGeneration(ctx, id); err != nil {
		return err
	}
	names, err := b.Store.List(ctx, "entries/"+id+"/")
	if err != nil {
		return err
	}
	b.live = 0
	for _, name := range names {
		hash := name[strings.LastIndexByte(name, '/')+1:]
		b.have[hash] = true
		if _, retired := b.generation.Retired[hash]; retired {
			_ = os.Remove(filepath.Join(b.places.Entries, b.places.EntryFile(hash))) // of an earlier job
			continue
		}
		b.live++
		if err := b.place(ctx, name, hash); err != nil {
			return err
		}
	}
	for _, other := range b.others {
		if err := b.fetchOther(ctx, other); err != nil {
			return err
		}
	}
	return b.fetchFindings(ctx, id)
}

// fetchOther brings entries of another version of the target that this one never had. Those
// that are still there after the run become entries of this version.
func (b *batch) fetchOther(ctx context.Context, id string) error {
	g, err := b.readGeneration(ctx, id)
	if err != nil {
		return err
	}
	names, err := b.Store.List(ctx, "entries/"+id+"/")
	if err != nil {
		return err
	}
	for _, name := range names {
		hash := name[strings.LastIndexByte(name, '/')+1:]
		if _, retired := g.Retired[hash]; retired || b.have[hash] {
			continue
		}
		if err := b.place(ctx, name, hash); err != nil {
			return err
		}
		b.offered[b.places.EntryFile(hash)] = true
	}
	return nil
}

// place adds an entry of the store to the directory, unless it is there or damaged.
func (b *batch) place(ctx context.Context, name, hash string) error {
	if b.places.HasEntry(hash) {
		return nil
	}
	data, _, err := b.Store.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if want, err := record.EntryHash(b.target.Fuzz != "", data); err != nil || want != hash {
		b.Log("%s: damaged, not used", name)
		return nil
	}
	return b.places.AddEntry(hash, data)
}

// fetchFindings adds a report of each finding to the directory.
func (b *batch) fetchFindings(ctx context.Context, id string) error {
	names, err := b.Store.List(ctx, "findings/"+id+"/")
	if err != nil {
		return err
	}
	last := ""
	for _, name := range names {
		key := name[:strings.LastIndexByte(name, '/')]
		if key == last {
			continue
		}
		data, _, err := b.Store.Get(ctx, name)
		if err != nil {
			return err
		}
		r, err := record.DecodeReport(name, data)
		if err != nil {
			b.Log("%v: not used", err)
			continue
		}
		if b.target.Fuzz != "" && len(r.Input) == 0 {
			continue // nothing that could run again
		}
		last = key
		if err := b.places.AddReport(r); err != nil {
			return err
		}
		b.earlier = append(b.earlier, r.Signature)
	}
	return nil
}

// sendEvery is how often entries of a running job go to the store: what is found since is
// lost with the worker.
const sendEvery = 10 * time.Second

// sendWhile sends new entries now and then until done is closed.
func (b *batch) sendWhile(ctx context.Context, done chan struct{}) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	var told Complaint
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if err := b.send(ctx, false); told.News(err) && ctx.Err() == nil {
				b.Log("%v: %v; trying again", b.target, err)
			}
		}
	}
}

// send adds the entries of the directory that the store does not have. Those of other versions
// are among them once they have run.
func (b *batch) send(ctx context.Context, ran bool) error {
	list, err := os.ReadDir(b.places.Entries)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range list {
		if b.read[e.Name()] || b.have[e.Name()] || b.offered[e.Name()] && !ran || strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
			continue
		}
		if err := b.sendFile(ctx, filepath.Join(b.places.Entries, e.Name())); err != nil {
			return err
		}
		b.read[e.Name()] = true
	}
	return nil
}

func (b *batch) sendFile(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) { // renamed meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	name, err := record.EntryName(b.target, data)
	if err != nil {
		b.Log("%v: entry %s stays here: %v", b.target, filepath.Base(file), err)
		return nil
	}
	hash := name[strings.LastIndexByte(name, '/')+1:]
	if b.have[hash] {
		return nil
	}
	added, err := b.Store.Put(ctx, name, data)
	if err != nil {
		return err
	}
	b.have[hash] = true
	if !added {
		return nil
	}
	if b.offered[filepath.Base(file)] {
		b.live++
	} else {
		b.added++
	}
	return b.Queue.Tell(queue.News{Worker: b.Name, Object: name})
}

// noteFixed adds findings of a fuzz target whose inputs have not failed. Of packages foray
// fuzz says so itself.
func (b *batch) noteFixed(run *record.Run) {
	if b.target.Fuzz == "" || run.Ended == record.EndedFailed || run.Ended == record.EndedInterrupted {
		return
	}
	seen := map[string]bool{}
	for _, s := range run.Seen {
		seen[s.Signature] = true
	}
	for _, signature := range b.earlier {
		if !seen[signature] {
			run.Fixed = append(run.Fixed, signature)
		}
	}
}

// maxReports is how many reports of one finding are kept.
const maxReports = 10

// report stores the reports of the findings of a run.
func (b *batch) report(ctx context.Context, out *fuzzrun.Output) error {
	for i := range out.Reports {
		r := &out.Reports[i]
		r.Target = b.target.ID()
		data, err := record.Encode(r)
		if err == nil && len(data) > record.MaxReport {
			r.Test, r.Input = "", nil
			data, err = record.Encode(r)
		}
		if err != nil {
			return err
		}
		name := r.Name(data)
		there, err := b.Store.List(ctx, name[:strings.LastIndexByte(name, '/')+1])
		if err != nil {
			return err
		}
		if len(there) >= maxReports {
			name = there[0]
		} else if _, err := b.Store.Put(ctx, name, data); err != nil {
			return err
		}
		for j := range out.Run.Seen {
			if out.Run.Seen[j].Signature == r.Signature {
				out.Run.Seen[j].Report = name
			}
		}
	}
	return nil
}
