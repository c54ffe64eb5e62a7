package farm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// simulated is a runner that runs nothing: each job adds entries and a finding that follow
// from its seed.
type simulated struct {
	entries int // of a job
	mu      sync.Mutex
	jobs    map[record.JobID]int
	before  func(*record.Job) error
}

func (s *simulated) Run(ctx context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	s.mu.Lock()
	if s.jobs == nil {
		s.jobs = map[record.JobID]int{}
	}
	s.jobs[job.ID]++
	s.mu.Unlock()
	if s.before != nil {
		if err := s.before(job); err != nil {
			return nil, err
		}
	}
	places := fuzzrun.PlacesOf(&job.Target, dir)
	for i := range s.entries {
		if err := places.AddEntry(fmt.Sprintf("found-%d-%d", job.Seed, i), entry(job.Seed, i)); err != nil {
			return nil, err
		}
	}
	signature := fmt.Sprintf("panic:index:F%d", job.Seed%7)
	return &fuzzrun.Output{
		Run: record.Run{
			Counts: record.Counts{Seconds: job.Seconds, Sequences: 1000, Sides: 10, SidesCovered: min(10, int(job.ID.Seq))}, Ended: "time",
			Seen: []record.Seen{{Signature: signature, Tier: "error", Kind: "panic", Operation: "F", Message: "index out of range"}},
		},
		Reports: []record.Report{{Signature: signature, Tier: "error", Kind: "panic", Operation: "F", Message: "index out of range", Test: "package m", Input: input(job.Seed, 0)}},
	}, nil
}

// Distill keeps every second entry.
func (s *simulated) Distill(_ context.Context, job *record.Job, dir string) error {
	places := fuzzrun.PlacesOf(&job.Target, dir)
	list, err := os.ReadDir(places.Entries)
	for i, e := range list {
		if i%2 == 0 {
			err = errors.Join(err, os.Remove(filepath.Join(places.Entries, e.Name())))
		}
	}
	return err
}

func input(seed uint64, i int) []byte {
	return fmt.Appendf(nil, "go test fuzz v1\nstring(%q)\n", fmt.Sprintf("%d-%d", seed, i))
}

// entry returns an input; every second one is the same for two seeds.
func entry(seed uint64, i int) []byte {
	if i%2 == 0 {
		seed /= 2
	}
	return input(seed, i)
}

// planned are targets that exist in tests only.
func planned(n int) []record.Target {
	var list []record.Target
	for i := range n {
		pkg := fmt.Sprintf("m.test/m/p%d", i)
		list = append(list, record.Target{Package: pkg, Pattern: pkg, Fuzz: "FuzzF", Build: "build1"})
	}
	return list
}

func openStore(t *testing.T, dir string) store.Store {
	t.Helper()
	s, err := store.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func embed(t *testing.T, dir string) *queue.Broker {
	t.Helper()
	b, err := queue.Embed(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// testConfig returns a farm in a directory whose jobs are simulated.
func testConfig(t *testing.T, dir string, r work.Runner) Config {
	t.Helper()
	s, b := openStore(t, filepath.Join(dir, "store")), embed(t, filepath.Join(dir, "queue"))
	t.Cleanup(b.Close)
	c := Config{
		Store: s, Queue: b, Slots: 3, Job: time.Minute, Version: "v1", Seed: 1, Now: time.Now, Log: t.Logf, every: 10 * time.Millisecond,
		Targets: func(context.Context) ([]record.Target, []Problem) {
			return planned(4), []Problem{{Place: "m.test/broken", Msg: "no"}}
		},
	}
	c.Worker = &work.Worker{Name: "w", Version: "v1", Store: s, Queue: b, Runner: r, Dir: filepath.Join(dir, "work"), Log: t.Logf}
	return c
}

// A history records what stores of a farm have acknowledged. It is the checker of tests
// that end parts of a farm: all that was acknowledged must be readable afterwards, from
// the disk.
type history struct {
	mu   sync.Mutex
	puts map[string][]byte // what was put first under each name
	// killed says that processes may have stored more than they had time to acknowledge.
	killed bool
}

// recorded is a store that notes in a history what it acknowledges.
type recorded struct {
	store.Store
	*history
}

func (r recorded) Put(ctx context.Context, name string, data []byte) (bool, error) {
	added, err := r.Store.Put(ctx, name, data)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if added && r.puts[name] != nil {
			return added, fmt.Errorf("%s was stored before, and is gone", name)
		}
		if r.puts[name] == nil || added {
			r.puts[name] = data
		}
	}
	return added, err
}

// check fails the test unless all that was acknowledged is there, whole, and each finding
// is told once, with a report.
func (h *history) check(t *testing.T, s store.Store) *View {
	t.Helper()
	kinds := map[string]int{}
	for name, want := range h.puts {
		kinds[name[:strings.IndexByte(name, '/')]]++
		data, _, err := s.Get(t.Context(), name)
		if err != nil {
			t.Errorf("acknowledged and lost: %v", err)
		} else if !strings.HasPrefix(name, "runs/") && string(data) != string(want) {
			t.Errorf("%s was acknowledged as %q and is %q", name, want, data)
		}
	}
	v, err := Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if v.Runs < kinds["runs"] || v.Runs > kinds["runs"] && !h.killed {
		t.Errorf("%d runs are told, %d were acknowledged", v.Runs, kinds["runs"])
	}
	seen := map[string]bool{}
	for _, f := range v.Findings {
		if key := f.Target + f.Signature; seen[key] {
			t.Errorf("finding %s of %s twice", f.Signature, f.Target)
		} else {
			seen[key] = true
		}
		if r, err := Report(t.Context(), s, &f); err != nil || r == nil || r.Signature != f.Signature {
			t.Errorf("report of %s: %v, %v", f.Signature, r, err)
		}
	}
	for name, data := range h.puts {
		if !strings.HasPrefix(name, "runs/") {
			continue
		}
		r, err := record.DecodeRun(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range r.Seen {
			if !seen[r.Target+s.Signature] {
				t.Errorf("%s saw %s, which is not told", name, s.Signature)
			}
		}
	}
	t.Logf("acknowledged and readable: %v; %d findings", kinds, len(v.Findings))
	return v
}

// A farm that is ended and started again has lost nothing, and goes on.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	h := &history{puts: map[string][]byte{}}
	before := 0
	for start := 1; start <= 2; start++ {
		ctx, cancel := context.WithCancel(t.Context())
		r := &simulated{entries: 4}
		r.before = func(*record.Job) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.jobs) == 20 {
				cancel()
			}
			return nil
		}
		c := testConfig(t, dir, r)
		c.Store = recorded{c.Store, h}
		c.Worker.Store = c.Store
		told, err := Run(ctx, c)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		c.Queue.Close()
		v := h.check(t, openStore(t, filepath.Join(dir, "store")))
		if v.Owner.Epoch != uint64(start) || !v.Owner.Released || len(v.Targets) != 4 || len(v.Problems) != 1 {
			t.Errorf("start %d: epoch %d, released %v, %d targets, %d problems", start, v.Owner.Epoch, v.Owner.Released, len(v.Targets), len(v.Problems))
		}
		if told.Runs != v.Runs || v.Runs < before+20 {
			t.Errorf("start %d: %d runs told, %d stored; want 20 more than %d", start, told.Runs, v.Runs, before)
		}
		before = v.Runs
		for _, target := range v.Targets {
			if target.Known == nil || target.Known.Runs == 0 {
				t.Errorf("start %d: nothing ran on %s", start, target.Name)
			}
		}
	}
}

// A second farm on a store is refused while the first lives, and takes over once it is gone.
func TestTwoFarms(t *testing.T) {
	s := openStore(t, t.TempDir())
	ctx := t.Context()
	lives := func(Owner, store.Revision) (bool, error) { return false, nil }
	silent := func(Owner, store.Revision) (bool, error) { return true, nil }
	first, err := own(ctx, s, Owner{PID: 1, Host: "a"}, lives)
	if err != nil {
		t.Fatal(err)
	}
	var owned *OwnedError
	if _, err := own(ctx, s, Owner{PID: 2, Host: "b"}, lives); !errors.As(err, &owned) || owned.Owner.Host != "a" {
		t.Errorf("second farm: %v; want that a works here", err)
	}
	second, err := own(ctx, s, Owner{PID: 2, Host: "b"}, silent)
	if err != nil || second.Epoch != first.Epoch+1 {
		t.Fatalf("take over: %v, %v", second, err)
	}
	if err := first.beat(ctx); !errors.Is(err, store.ErrConflict) {
		t.Errorf("beat of the farm that was taken over: %v", err)
	}
	if err := second.release(ctx, time.Now()); err != nil {
		t.Error(err)
	}
	if third, err := own(ctx, s, Owner{}, lives); err != nil || third.Epoch != second.Epoch+1 {
		t.Errorf("after release: %v, %v", third, err)
	}
}

// Farms in two containers may have one host name and one process number. The second is refused
// while the first lives. In one container, the first has ended.
func TestTwoContainers(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, space := range []string{"another", pidSpace()} {
		c := testConfig(t, t.TempDir(), &simulated{})
		c.Jobs = 1
		first, err := own(t.Context(), c.Store, Owner{Host: host, PID: os.Getpid(), PIDSpace: space}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var beats sync.WaitGroup
		beats.Go(func() {
			for space == "another" && ctx.Err() == nil {
				time.Sleep(200 * time.Millisecond)
				if first.beat(ctx) != nil {
					return
				}
			}
		})
		_, err = Run(t.Context(), c)
		cancel()
		beats.Wait()
		if owned := (*OwnedError)(nil); errors.As(err, &owned) != (space == "another") || owned == nil && err != nil {
			t.Errorf("after a farm in %q: %v", space, err)
		}
	}
}

// A farm whose last beat was stored, though it was told otherwise, is not taken over.
func TestBeatInDoubt(t *testing.T) {
	disk := &doubtful{Store: openStore(t, t.TempDir())}
	o, err := own(t.Context(), disk, Owner{PID: 1, Host: "a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	disk.doubts = true
	if err := o.beat(t.Context()); err == nil || errors.Is(err, store.ErrConflict) {
		t.Errorf("a beat in doubt: %v", err)
	}
	disk.doubts = false
	if err := o.beat(t.Context()); err != nil {
		t.Errorf("the next beat: %v", err)
	}
	now := Owner{PID: 1, Host: "a", Started: time.Now()}
	if _, err := own(t.Context(), disk, now, func(Owner, store.Revision) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	if err := o.beat(t.Context()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("after another took over: %v", err)
	}
}

// doubtful is a store whose answers to swaps may be lost.
type doubtful struct {
	store.Store
	doubts bool
}

func (d *doubtful) Swap(ctx context.Context, name string, data []byte, old store.Revision) (store.Revision, error) {
	rev, err := d.Store.Swap(ctx, name, data, old)
	if err == nil && d.doubts {
		return "", errors.New("no answer")
	}
	return rev, err
}

// Another commit may be checked out while a farm runs. Jobs name the one in which their targets were
// found.
func TestRevisionMoves(t *testing.T) {
	c := testConfig(t, t.TempDir(), &simulated{})
	head := "a"
	c.Revision = func(context.Context) string { return head }
	k := &keeper{Config: &c, owner: &ownership{}, complaints: map[string]*work.Complaint{}}
	if err := c.Queue.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, head = range []string{"a", "b"} {
		if err := k.discover(t.Context()); err != nil || !k.add(t.Context(), "", &k.targets[0]) {
			t.Fatal(err)
		}
		held, err := c.Queue.Take(t.Context(), time.Minute)
		if err != nil || held == nil || held.Job.Revision != head || k.owner.Revision != head {
			t.Fatalf("got %+v, %v, owner at %q; want commit %s", held, err, k.owner.Revision, head)
		}
		if err := held.Done(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A job that ends every worker is parked after three of them, and the others go on.
func TestPoison(t *testing.T) {
	dir := t.TempDir()
	s, b := openStore(t, filepath.Join(dir, "store")), embed(t, filepath.Join(dir, "queue"))
	t.Cleanup(b.Close)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.SetLease(300 * time.Millisecond)
	if err := b.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	job := record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: planned(1)[0], Version: "v1"}
	if err := b.Add(ctx, &job); err != nil {
		t.Fatal(err)
	}
	for range 3 { // workers that die with it
		held, err := b.Take(ctx, time.Minute)
		if err != nil || held == nil {
			t.Fatal(held, err)
		}
		held.Drop()
	}
	r := &simulated{}
	w := &work.Worker{Name: "w", Version: "v1", Store: s, Queue: b, Runner: r, Dir: dir, Log: t.Logf}
	stop, err := b.Listen(func(n queue.News) {
		if strings.HasPrefix(n.Object, "poison/") {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := w.Run(ctx, 1); err != nil {
		t.Fatal(err)
	}
	list, err := readPoison(t.Context(), s)
	if err != nil || len(list) != 1 || list[0].Job.ID != job.ID || list[0].Deliveries != 3 || len(r.jobs) > 0 {
		t.Errorf("poison %v, %v, jobs that ran %v; want one parked", list, err, r.jobs)
	}
	var told []string
	k := &keeper{
		Config:  &Config{Store: s, Now: time.Now, Log: func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }},
		targets: planned(2), ledger: ledger.New(1), poisoned: map[string]bool{}, complaints: map[string]*work.Complaint{},
	}
	for range 2 {
		k.readPoison(t.Context())
	}
	if want := "m.test/m/p0.FuzzF: 3 workers were lost while they ran it; parked until its code changes"; len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q once", told, want)
	}
	if w := k.weights(); len(w) != 1 {
		t.Errorf("weights %v, want one of the other target", w)
	}
	if k.targets[0].Build = "build2"; len(k.weights()) != 2 {
		t.Error("still parked with other code")
	}
}

// A worker of another version is refused, with both versions.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	s, b := openStore(t, filepath.Join(dir, "store")), embed(t, filepath.Join(dir, "queue"))
	t.Cleanup(b.Close)
	if err := b.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(t.Context(), &record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: planned(1)[0], Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	w := &work.Worker{Name: "w", Version: "v2", Store: s, Queue: b, Runner: &simulated{}, Dir: dir, Log: t.Logf}
	err := w.Run(t.Context(), 2)
	if err == nil || !strings.Contains(err.Error(), "v1") || !strings.Contains(err.Error(), "v2") {
		t.Errorf("got %v, want both versions", err)
	}
	if err := CheckWorker(t.Context(), s, "v2", ""); err != nil {
		t.Errorf("store without a farm: %v", err)
	}
	if _, err := own(t.Context(), s, Owner{Version: "v1", Revision: "abc"}, nil); err != nil {
		t.Fatal(err)
	}
	var refused *work.VersionError
	if err := CheckWorker(t.Context(), s, "v2", ""); !errors.As(err, &refused) || refused.Farm != "v1" {
		t.Errorf("store of another version: %v", err)
	}
	for revision, ok := range map[string]bool{"": true, "abc": true, "def": false} {
		if err := CheckWorker(t.Context(), s, "v1", revision); (err == nil) != ok {
			t.Errorf("worker at commit %q: %v", revision, err)
		}
	}
	if depth, err := b.Depth(t.Context()); err != nil || depth.Running+int(depth.Waiting) != 1 {
		t.Errorf("queue %+v, %v; want the job still there", depth, err)
	}
}

// Damaged, foreign and oversized objects are named and not used; the farm goes on.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := openStore(t, filepath.Join(dir, "store"))
	target := planned(1)[0]
	put := func(name, data string) {
		t.Helper()
		if _, err := s.Put(ctx, name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	id := target.ID()
	put("entries/"+id+"/0123456789abcdef0123456789abcdef", "go test fuzz v1\nstring(\"x\")\n")
	put("findings/"+id+"/0123456789abcdef/0123456789abcdef", "{}")
	put("runs/"+id+"/000001.00000001", "{")
	put("runs/"+id+"/000001.00000002", `{"job":{"epoch":9,"seq":9}}`)
	put("poison/000001.00000001", "null")
	var logged []string
	var mu sync.Mutex
	r := &simulated{entries: 1}
	r.before = func(*record.Job) error { cancel(); return nil }
	c := testConfig(t, dir, r)
	c.Log = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, fmt.Sprintf(format, args...))
	}
	c.Worker.Log = c.Log
	c.Targets = func(context.Context) ([]record.Target, []Problem) { return []record.Target{target}, nil }
	if _, err := Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"entries/" + id, "findings/" + id, "000001.00000001", "000001.00000002"} {
		if !slices.ContainsFunc(logged, func(line string) bool { return strings.Contains(line, name) }) {
			t.Errorf("nothing is told of %s in %q", name, logged)
		}
	}
	place := fuzzrun.PlacesOf(&target, filepath.Join(dir, "work", "slot0", id))
	if _, err := os.Stat(filepath.Join(place.Entries, "0123456789abcdef0123456789abcdef")); err == nil {
		t.Error("an entry with a wrong hash reached a run")
	}
}

// A target that exists no more is not run, and its history stays.
func TestTargetGone(t *testing.T) {
	l := ledger.New(1)
	l.Add(&record.Run{Job: record.JobID{Epoch: 1, Seq: 1}, Target: "t", Ended: "time"})
	k := &keeper{Config: &Config{Now: time.Now}, ledger: l, poisoned: map[string]bool{}}
	if w := k.weights(); len(w) != 0 {
		t.Errorf("weights %v, want none", w)
	}
}

// Distilling retires entries under the revision of the generation that it began with. One that
// is overtaken retires nothing, and nothing that others add meanwhile.
func TestDistill(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	s, b := openStore(t, filepath.Join(dir, "store")), embed(t, filepath.Join(dir, "queue"))
	t.Cleanup(b.Close)
	if err := b.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	target := planned(1)[0]
	put := func(i int) {
		t.Helper()
		name, err := record.EntryName(&target, input(1000, i))
		if err == nil {
			_, err = s.Put(ctx, name, input(1000, i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		put(i)
	}
	read := func() record.Generation {
		t.Helper()
		var g record.Generation
		if _, err := store.ReadManifest(ctx, s, record.GenerationName(target.ID()), &g); err != nil {
			t.Fatal(err)
		}
		return g
	}
	// The second is stopped while the first distils, and somebody adds an entry.
	r := &overtaken{simulated: &simulated{}, began: make(chan struct{}), goOn: make(chan struct{})}
	run := func(name string, r work.Runner, seq uint64, wait func()) {
		t.Helper()
		job := record.Job{ID: record.JobID{Epoch: 1, Seq: seq}, Kind: record.Distill, Target: target, Version: "v1", Created: time.Unix(1e9, 0).UTC()}
		if err := b.Add(ctx, &job); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(ctx)
		stop, err := b.Listen(func(n queue.News) {
			if strings.HasSuffix(n.Object, job.ID.String()) {
				cancel()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		w := &work.Worker{Name: name, Version: "v1", Store: s, Queue: b, Runner: r, Dir: filepath.Join(dir, name), Log: t.Logf, Retry: time.Millisecond}
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx, 1) }()
		wait()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	run("slow", r, 1, func() {
		<-r.began
		run("fast", r.simulated, 2, func() {})
		put(100)
		close(r.goOn)
	})
	g := read()
	if g.Number != 1 || len(g.Retired) != 5 {
		t.Errorf("generation %d, %d retired; want 1, 5", g.Number, len(g.Retired))
	}
	l := ledger.New(1)
	if problems, err := load(ctx, s, l); err != nil || len(problems) > 0 || l.Runs() != 2 {
		t.Errorf("%d runs, %v, %v", l.Runs(), problems, err)
	}
	// The next job gets the entries that are left: five, and the one that was added.
	run("next", r.simulated, 3, func() {})
	if g = read(); g.Number != 2 || len(g.Retired) != 8 {
		t.Errorf("generation %d, %d retired; want 2, 8", g.Number, len(g.Retired))
	}
	names, err := s.List(ctx, "entries/")
	if err != nil || len(names) != 11 {
		t.Errorf("%d entries, %v; want all 11", len(names), err)
	}
	// Only time removes what is retired.
	k := &keeper{Config: &Config{Store: s, Now: func() time.Time { return time.Unix(1e9, 0).Add(retention) }}}
	for _, want := range []int{11, 3} {
		if err := k.prune(ctx); err != nil {
			t.Fatal(err)
		}
		if names, err := s.List(ctx, "entries/"); err != nil || len(names) != want {
			t.Errorf("%d entries, %v; want %d", len(names), err, want)
		}
		k.Now, k.Retain = func() time.Time { return time.Unix(1e9, 0).Add(time.Minute + time.Second) }, time.Minute
	}
}

// overtaken is a runner that is stopped while it distils.
type overtaken struct {
	*simulated
	began, goOn chan struct{}
}

func (o *overtaken) Distill(ctx context.Context, job *record.Job, dir string) error {
	close(o.began)
	<-o.goOn
	return o.simulated.Distill(ctx, job, dir)
}

// denying is a store on which nothing can be done at times.
type denying struct {
	store.Store
	denied atomic.Bool
	asked  chan struct{} // has a value for each operation that was denied
}

func (d *denying) deny(op, name string) error {
	if !d.denied.Load() {
		return nil
	}
	select {
	case d.asked <- struct{}{}:
	default:
	}
	return fmt.Errorf("store: %s %s: %w", op, name, fs.ErrPermission)
}

func (d *denying) Put(ctx context.Context, name string, data []byte) (bool, error) {
	if err := d.deny("put", name); err != nil {
		return false, err
	}
	return d.Store.Put(ctx, name, data)
}

func (d *denying) Get(ctx context.Context, name string) ([]byte, store.Revision, error) {
	if err := d.deny("get", name); err != nil {
		return nil, "", err
	}
	return d.Store.Get(ctx, name)
}

func (d *denying) List(ctx context.Context, prefix string) ([]string, error) {
	if err := d.deny("list", prefix); err != nil {
		return nil, err
	}
	return d.Store.List(ctx, prefix)
}

func (d *denying) Swap(ctx context.Context, name string, data []byte, old store.Revision) (store.Revision, error) {
	if err := d.deny("swap", name); err != nil {
		return "", err
	}
	return d.Store.Swap(ctx, name, data, old)
}

// A farm that loses its rights on the store while it runs says so once, not at each try. When it
// has them again it goes on, and has all results.
func TestRightsLost(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &simulated{entries: 2}
	c := testConfig(t, t.TempDir(), r)
	h := &history{puts: map[string][]byte{}}
	s := &denying{Store: recorded{c.Store, h}, asked: make(chan struct{}, 1)}
	c.Store, c.Worker.Store, c.Worker.Retry = s, s, time.Millisecond
	var once sync.Once
	r.before = func(*record.Job) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch len(r.jobs) {
		case 5:
			once.Do(func() { s.denied.Store(true) })
		case 30:
			cancel()
		}
		return nil
	}
	var mu sync.Mutex
	told := map[string]int{}
	c.Log = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		told[fmt.Sprintf(format, args...)]++
	}
	c.Worker.Log = c.Log
	go func() {
		for range 500 {
			<-s.asked
		}
		s.denied.Store(false)
	}()
	if _, err := Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line, times := range told {
		if strings.Contains(line, fs.ErrPermission.Error()) {
			n += times
			if strings.Contains(line, "\n") {
				t.Errorf("%q is told", line)
			}
		}
	}
	if n == 0 || n > 30 {
		t.Errorf("told %d times, want a few: %v", n, told)
	}
	if v := h.check(t, s); v.Runs < 20 {
		t.Errorf("%d runs, want those of after", v.Runs)
	}
}

// A farm that may not write its store ends with one line.
func TestNoRights(t *testing.T) {
	c := testConfig(t, t.TempDir(), &simulated{})
	s := &denying{Store: c.Store, asked: make(chan struct{}, 1)}
	s.denied.Store(true)
	c.Store = s
	if _, err := Run(t.Context(), c); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// A farm that finds nothing to fuzz at its start ends at once, and says why.
func TestNoTargets(t *testing.T) {
	for _, want := range [][]Problem{nil, {{Place: ".", Msg: "no module", Hint: "make one"}}} {
		c := testConfig(t, t.TempDir(), &simulated{})
		c.Targets = func(context.Context) ([]record.Target, []Problem) { return nil, want }
		c.Duration = 10 * time.Second
		_, err := Run(t.Context(), c)
		if none, ok := errors.AsType[*NoTargetsError](err); !ok || !slices.Equal(none.Problems, want) {
			t.Errorf("got %v, want a NoTargetsError with %v", err, want)
		}
		if owner, _, err := readOwner(t.Context(), c.Store); err != nil || !owner.Released {
			t.Errorf("owner %+v, %v; want it released", owner, err)
		}
	}
}

// A farm whose queue is that of another ends at once, and leaves the store to the next.
func TestQueueClaimed(t *testing.T) {
	c := testConfig(t, t.TempDir(), &simulated{})
	if err := errors.Join(c.Queue.Claim(t.Context(), "another", "v1"), c.Queue.Setup(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := c.Queue.Add(t.Context(), &record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: planned(1)[0], Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c); !errors.Is(err, queue.ErrClaimed) {
		t.Errorf("got %v, want %v", err, queue.ErrClaimed)
	}
	if owner, _, err := readOwner(t.Context(), c.Store); err != nil || !owner.Released || owner.Farm == "" {
		t.Errorf("owner %+v, %v; want it released", owner, err)
	}
	if depth, err := c.Queue.Depth(t.Context()); err != nil || depth.Waiting != 1 {
		t.Errorf("depth %+v, %v; want the job of the other farm still there", depth, err)
	}
}
