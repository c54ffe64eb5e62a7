package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	corpus "foray.test/corpus/store"
)

// runner is a runner that finds what a test says: run gets the directory of the entries.
type runner struct {
	run     func(entries string) (*fuzzrun.Output, error)
	distill func(entries string) error
}

func (r *runner) Run(_ context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	return r.run(fuzzrun.PlacesOf(&job.Target, dir).Entries)
}

func (r *runner) Distill(_ context.Context, job *record.Job, dir string) error {
	return r.distill(fuzzrun.PlacesOf(&job.Target, dir).Entries)
}

// disk is a store that notes what is put, in order, and may fail.
type disk struct {
	store.Store
	mu   sync.Mutex
	puts []string
	fail func(name string) error
}

func (d *disk) Put(ctx context.Context, name string, data []byte) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		if err := d.fail(name); err != nil {
			return false, err
		}
	}
	d.puts = append(d.puts, name)
	return d.Store.Put(ctx, name, data)
}

// bench is a worker with its surroundings.
type bench struct {
	*Worker
	t    *testing.T
	disk *disk
	mu   sync.Mutex
	log  []string
	seq  uint64
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	s, err := store.OpenDir(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Embed(filepath.Join(dir, "queue"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	if err := q.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, disk: &disk{Store: s}}
	b.Worker = &Worker{Name: "w", Version: "v1", Store: b.disk, Queue: q, Dir: filepath.Join(dir, "work"), Retry: time.Millisecond, Log: func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.log = append(b.log, fmt.Sprintf(format, args...))
	}}
	return b
}

// do has the worker do one job, and returns its result.
func (b *bench) do(job record.Job, r *runner) *record.Run {
	b.t.Helper()
	b.seq++
	job.ID, job.Version = record.JobID{Epoch: 1, Seq: b.seq}, "v1"
	if err := b.Queue.Add(b.t.Context(), &job); err != nil {
		b.t.Fatal(err)
	}
	held, err := b.Queue.Take(b.t.Context(), time.Minute)
	if err != nil || held == nil {
		b.t.Fatal(held, err)
	}
	b.Runner = r
	if err := b.job(b.t.Context(), held, b.Dir); err != nil {
		b.t.Fatal(err)
	}
	run := record.Run{Job: job.ID, Target: job.Target.ID()}
	data, _, err := b.Store.Get(b.t.Context(), run.Name())
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := record.DecodeRun(run.Name(), data)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

func (b *bench) list(prefix string) []string {
	b.t.Helper()
	names, err := b.Store.List(b.t.Context(), prefix)
	if err != nil {
		b.t.Fatal(err)
	}
	return names
}

// input returns the file of an input, and its hash.
func input(i int) (data []byte, hash string) {
	data = fmt.Appendf(nil, "go test fuzz v1\nint(%d)\n", i)
	hash, _ = record.EntryHash(true, data)
	return data, hash
}

// finds is a runner that adds inputs, and takes a branch side for each that is there.
func finds(inputs ...int) *runner {
	return &runner{run: func(dir string) (*fuzzrun.Output, error) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		for _, i := range inputs {
			data, hash := input(i)
			if err := os.WriteFile(filepath.Join(dir, hash[:16]), data, 0o666); err != nil {
				return nil, err
			}
		}
		there, err := os.ReadDir(dir)
		return &fuzzrun.Output{Run: record.Run{Counts: record.Counts{SidesCovered: len(there)}, Ended: "time"}}, err
	}}
}

var target = record.Target{Package: "m.test/p", Pattern: "m.test/p", Fuzz: "FuzzF", Build: "b"}

// What a job gives is stored in an order that leaves nothing out: the result comes last.
func TestOrder(t *testing.T) {
	b := newBench(t)
	r := finds(1, 2)
	search := r.run
	r.run = func(dir string) (*fuzzrun.Output, error) {
		out, err := search(dir)
		out.Run.Seen = []record.Seen{{Signature: "panic:F"}}
		out.Reports = []record.Report{{Signature: "panic:F", Test: "package p"}}
		return out, err
	}
	run := b.do(record.Job{Target: target}, r)
	if run.NewEntries != 2 || run.Entries != 2 || run.Worker != "w" || run.Build != "b" {
		t.Errorf("result %+v", run)
	}
	var kinds []string
	for _, name := range b.disk.puts {
		kinds = append(kinds, name[:strings.IndexByte(name, '/')])
	}
	if want := []string{"entries", "entries", "findings", "runs"}; !slices.Equal(kinds, want) {
		t.Errorf("stored %q, want %q", kinds, want)
	}
	if run.Seen[0].Report != b.list("findings/")[0] {
		t.Errorf("the report is %s, stored is %q", run.Seen[0].Report, b.list("findings/"))
	}
	// The next job begins with the corpus, in another slot, too, and adds nothing.
	b.Dir = t.TempDir()
	if run = b.do(record.Job{Target: target}, finds(2)); run.NewEntries != 0 || run.Entries != 2 || run.SidesCovered != 2 {
		t.Errorf("second result %+v", run)
	}
}

// A store that fails is tried again, told once, and has everything in the end.
func TestStoreFails(t *testing.T) {
	b := newBench(t)
	failures := 0
	b.disk.fail = func(name string) error {
		if failures++; failures <= 20 {
			return errors.New("store: put: disk full")
		}
		return nil
	}
	if run := b.do(record.Job{Target: target}, finds(1)); run.NewEntries != 1 {
		t.Errorf("result %+v", run)
	}
	if len(b.log) != 1 || !strings.Contains(b.log[0], "m.test/p.FuzzF: store: put: disk full; trying again") {
		t.Errorf("told %q, want it once", b.log)
	}
}

// An entry that was found at one version takes a branch side at another, which did not search
// for it. It becomes an entry of that version, but none that its run has found.
func TestOtherVersions(t *testing.T) {
	b := newBench(t)
	v1, v2 := target, target
	v1.Version, v2.Version = "v1.0.0", "v2.0.0"
	b.do(record.Job{Target: v1}, finds(1, 2))
	job := record.Job{Target: v2, Versions: []string{v1.ID()}}
	failed := &runner{run: func(string) (*fuzzrun.Output, error) {
		return &fuzzrun.Output{Run: record.Run{Ended: record.EndedFailed, Problem: "it does not build"}}, nil
	}}
	if b.do(job, failed); len(b.list("entries/"+v2.ID()+"/")) != 0 {
		t.Error("entries became those of a version at which they never ran")
	}
	run := b.do(job, finds(3))
	if run.SidesCovered != 3 || run.NewEntries != 1 || run.Entries != 3 {
		t.Errorf("other version: %+v; want three sides, one of them new", run.Counts)
	}
	if got := b.list("entries/" + v2.ID() + "/"); len(got) != 3 {
		t.Errorf("entries %q, want three", got)
	}
	if got := b.list("entries/" + v1.ID() + "/"); len(got) != 2 {
		t.Errorf("entries of the first version %q, want its two", got)
	}
	// Without the job's word, versions know nothing of each other.
	v3 := target
	v3.Version = "v3.0.0"
	if run := b.do(record.Job{Target: v3}, finds()); run.SidesCovered != 0 {
		t.Errorf("third version: %+v", run.Counts)
	}
}

// Of another version come neither damaged entries, nor retired ones, nor those that were set
// aside here because the calls are not those of the package.
func TestOtherVersionsUnfit(t *testing.T) {
	b := newBench(t)
	api := record.Target{Package: "m.test/p", Pattern: "m.test/p"}
	old := api
	old.Version = "v1.0.0"
	var hashes []string
	for _, call := range []string{"p.A()", "p.B()", "p.C()"} {
		data := []byte("foray corpus v1\n" + call + "\n")
		name, err := record.EntryName(&old, data)
		if err == nil {
			_, err = b.Store.Put(t.Context(), name, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, filepath.Base(name))
	}
	if _, err := b.Store.Put(t.Context(), "entries/"+old.ID()+"/0123456789abcdef0123456789abcdef", []byte("foray corpus v1\np.D()\n")); err != nil {
		t.Fatal(err)
	}
	g, _ := record.Encode(record.Generation{Number: 1, Retired: map[string]time.Time{hashes[1]: time.Now()}})
	if _, err := b.Store.Swap(t.Context(), record.GenerationName(old.ID()), g, ""); err != nil {
		t.Fatal(err)
	}
	var began [][]string
	r := &runner{run: func(dir string) (*fuzzrun.Output, error) {
		list, err := os.ReadDir(dir)
		names := []string{}
		for _, e := range list {
			names = append(names, e.Name())
		}
		began = append(began, names)
		aside := filepath.Join(filepath.Dir(dir), "quarantine")
		if os.MkdirAll(aside, 0o777) == nil && len(began) == 1 {
			err = errors.Join(err, os.Rename(filepath.Join(dir, hashes[2]), filepath.Join(aside, hashes[2])))
		}
		return &fuzzrun.Output{Run: record.Run{Ended: "time"}}, err
	}}
	job := record.Job{Target: api, Versions: []string{old.ID()}}
	b.do(job, r)
	b.do(job, r)
	want := []string{hashes[0], hashes[2]}
	slices.Sort(want)
	if !slices.Equal(began[0], want) || !slices.Equal(began[1], hashes[:1]) {
		t.Errorf("jobs began with %q, want %q and then %q", began, want, hashes[:1])
	}
	if !slices.ContainsFunc(b.log, func(line string) bool { return strings.Contains(line, "0123456789abcdef0123456789abcdef: damaged") }) {
		t.Errorf("nothing is told of the damaged entry in %q", b.log)
	}
}

// A retired entry leaves the directories in which jobs run.
func TestRetiredLeave(t *testing.T) {
	b := newBench(t)
	b.do(record.Job{Target: target}, finds(1, 2))
	_, hash := input(1)
	g, _ := record.Encode(record.Generation{Number: 1, Retired: map[string]time.Time{hash: time.Now()}})
	if _, err := b.Store.Swap(t.Context(), record.GenerationName(target.ID()), g, ""); err != nil {
		t.Fatal(err)
	}
	if run := b.do(record.Job{Target: target}, finds()); run.SidesCovered != 1 || run.Entries != 1 {
		t.Errorf("result %+v, want one entry", run.Counts)
	}
}

// A finding of a fuzz target that its inputs do not show any more is fixed; a run that did not
// end by itself says nothing.
func TestFixed(t *testing.T) {
	b := newBench(t)
	seen := func(ended string, signatures ...string) *runner {
		return &runner{run: func(string) (*fuzzrun.Output, error) {
			out := &fuzzrun.Output{Run: record.Run{Ended: ended}}
			for _, s := range signatures {
				out.Run.Seen = append(out.Run.Seen, record.Seen{Signature: s})
				data, _ := input(len(s))
				out.Reports = append(out.Reports, record.Report{Signature: s, Input: data})
			}
			return out, nil
		}}
	}
	job := record.Job{Target: target}
	if run := b.do(job, seen("time", "a", "bb")); len(run.Fixed) != 0 {
		t.Errorf("first: fixed %q", run.Fixed)
	}
	if run := b.do(job, seen(record.EndedFailed)); len(run.Fixed) != 0 {
		t.Errorf("failed: fixed %q", run.Fixed)
	}
	if run := b.do(job, seen("time", "a")); !slices.Equal(run.Fixed, []string{"bb"}) {
		t.Errorf("fixed %q, want bb", run.Fixed)
	}
}

// A finding has a bounded number of reports, each of a bounded size.
func TestReports(t *testing.T) {
	b := newBench(t)
	for i := range maxReports + 3 {
		b.do(record.Job{Target: target}, &runner{run: func(string) (*fuzzrun.Output, error) {
			test := fmt.Sprint("package p // ", i)
			if i == 0 {
				test += strings.Repeat("x", record.MaxReport)
			}
			return &fuzzrun.Output{
				Run:     record.Run{Ended: "time", Seen: []record.Seen{{Signature: "s"}}},
				Reports: []record.Report{{Signature: "s", Test: test}},
			}, nil
		}})
	}
	names := b.list("findings/")
	if len(names) != maxReports {
		t.Errorf("%d reports, want %d", len(names), maxReports)
	}
	for _, name := range names {
		data, _, err := b.Store.Get(t.Context(), name)
		if err == nil {
			_, err = record.DecodeReport(name, data)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Distilling that fails is a result that says so, and retires nothing.
func TestDistillFails(t *testing.T) {
	b := newBench(t)
	b.do(record.Job{Target: target}, finds(1))
	run := b.do(record.Job{Target: target, Kind: record.Distill}, &runner{distill: func(string) error { return errors.New("distill: no") }})
	if run.Ended != record.EndedFailed || run.Problem != "distill: no" {
		t.Errorf("result %+v", run)
	}
	if names := b.list("manifest/"); len(names) != 0 {
		t.Errorf("manifests %q, want none", names)
	}
	// One that keeps nothing retires all.
	run = b.do(record.Job{Target: target, Kind: record.Distill}, &runner{distill: func(dir string) error {
		return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777))
	}})
	if run.Ended != "distilled" {
		t.Errorf("result %+v", run)
	}
	data, _, err := b.Store.Get(t.Context(), record.GenerationName(target.ID()))
	var g record.Generation
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil || g.Number != 1 || len(g.Retired) != 1 {
		t.Errorf("generation %+v, %v; want one that retires one entry", g, err)
	}
}

// Distilling retires the entries that it leaves out. Those that do not fit the package at this
// revision are set aside for another reason: at another revision they fit.
func TestDistillKeepsUnfit(t *testing.T) {
	b := newBench(t)
	api := record.Target{Package: "m.test/p", Pattern: "m.test/p"}
	var hashes []string
	for _, call := range []string{"p.A()", "p.B()", "p.C()"} {
		data := []byte("foray corpus v1\n" + call + "\n")
		name, err := record.EntryName(&api, data)
		if err == nil {
			_, err = b.Store.Put(t.Context(), name, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, filepath.Base(name))
	}
	run := b.do(record.Job{Target: api, Kind: record.Distill}, &runner{distill: func(dir string) error {
		s, err := corpus.Open(filepath.Dir(dir))
		if err != nil {
			return err
		}
		return errors.Join(
			s.Distill(nil, []corpus.Departure{{ID: hashes[0], Reason: "its side is in another"}}),
			s.Quarantine(corpus.Departure{ID: hashes[1], Reason: "drift: p.B is gone"}),
		)
	}})
	var g record.Generation
	if _, err := store.ReadManifest(t.Context(), b.Store, record.GenerationName(api.ID()), &g); err != nil {
		t.Fatal(err)
	}
	if _, ok := g.Retired[hashes[0]]; !ok || len(g.Retired) != 1 || run.Entries != 2 {
		t.Errorf("retired %v, %d entries are left; want only %s, and two", g.Retired, run.Entries, hashes[0])
	}
}

func TestComplaint(t *testing.T) {
	var c Complaint
	one, two := errors.New("one"), errors.New("two")
	for i, tt := range []struct {
		err  error
		want bool
	}{{nil, false}, {one, true}, {one, false}, {two, true}, {one, true}, {nil, false}, {one, true}} {
		if got := c.News(tt.err); got != tt.want {
			t.Errorf("%d: %v is news: %v", i, tt.err, got)
		}
	}
}

// A worker with another store than the farm refuses its jobs, and stops: results would be
// where nobody looks. The job stays.
func TestOtherStore(t *testing.T) {
	b := newBench(t)
	job := record.Job{Target: target, Farm: "one"}
	if _, err := b.Store.Swap(t.Context(), record.OwnerName, []byte(`{"farm":"one"}`), ""); err != nil {
		t.Fatal(err)
	}
	b.do(job, finds(1))
	other := newBench(t)
	other.Queue, other.Runner = b.Queue, finds(1)
	for _, owner := range []string{"", `{"farm":"two"}`} {
		if owner != "" {
			if _, err := other.Store.Swap(t.Context(), record.OwnerName, []byte(owner), ""); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			b.seq++
			job.ID, job.Version = record.JobID{Epoch: 1, Seq: b.seq}, "v1"
			if err := b.Queue.Add(t.Context(), &job); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := other.Run(ctx, 4); !errors.Is(err, ErrOtherStore) || strings.Contains(err.Error(), "\n") {
			t.Errorf("store with farm %s: %v, want %v", owner, err, ErrOtherStore)
		}
	}
	if d, err := b.Queue.Depth(t.Context()); err != nil || d.Running+int(d.Waiting) != 8 || len(other.disk.puts) > 0 {
		t.Errorf("depth %+v, %v, stored %q; want all jobs and nothing", d, err, other.disk.puts)
	}
}

// Workers of another version, or with another store, take no job of a farm: a job that is refused
// three times would be parked.
func TestRefusedBefore(t *testing.T) {
	b := newBench(t)
	if err := errors.Join(b.Queue.Claim(t.Context(), "one", "v1"), b.Queue.Setup(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Store.Swap(t.Context(), record.OwnerName, []byte(`{"farm":"one"}`), ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Queue.Add(t.Context(), &record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: target, Farm: "one", Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	elsewhere, old := newBench(t), newBench(t)
	elsewhere.Queue, old.Queue, old.Store, old.Version = b.Queue, b.Queue, b.Store, "v0"
	for range 2 {
		if err := elsewhere.Run(t.Context(), 1); !errors.Is(err, ErrOtherStore) {
			t.Errorf("another store: %v, want %v", err, ErrOtherStore)
		}
		var refused *VersionError
		if err := old.Run(t.Context(), 1); !errors.As(err, &refused) {
			t.Errorf("another version: %v", err)
		}
	}
	held, err := b.Queue.Take(t.Context(), time.Minute)
	if err != nil || held == nil || held.Deliveries != 1 {
		t.Fatalf("got %+v, %v; want the job for the first time", held, err)
	}
	b.Runner = finds(1)
	if err := b.job(t.Context(), held, b.Dir); err != nil || len(b.list("runs/")) != 1 {
		t.Errorf("%v, runs %q; want one", err, b.list("runs/"))
	}
}

// A job that cannot be parked, as the store fails, goes to the next worker.
func TestParkFails(t *testing.T) {
	b := newBench(t)
	if err := b.Queue.Add(t.Context(), &record.Job{ID: record.JobID{Epoch: 1, Seq: 1}, Target: target, Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	b.disk.fail = func(string) error { return errors.New("store: put: disk full") }
	for range 2 {
		held, err := b.Queue.Take(t.Context(), 10*time.Second)
		if err != nil || held == nil {
			t.Fatalf("got %v, %v; want the job", held, err)
		}
		held.Deliveries = maxDeliveries + 1
		if err := b.job(t.Context(), held, b.Dir); err == nil != (b.disk.fail == nil) {
			t.Error(err)
		}
		b.disk.fail = nil
	}
	if names := b.list("poison/"); len(names) != 1 {
		t.Errorf("parked %q, want the job", names)
	}
}

// A finding of which no input is kept, for it was too large, is not fixed by a run that does not see
// it.
func TestNotFixedWithoutInput(t *testing.T) {
	b := newBench(t)
	b.do(record.Job{Target: target}, &runner{run: func(string) (*fuzzrun.Output, error) {
		return &fuzzrun.Output{
			Run:     record.Run{Ended: "time", Seen: []record.Seen{{Signature: "s"}}},
			Reports: []record.Report{{Signature: "s", Input: make([]byte, record.MaxReport)}},
		}, nil
	}})
	if run := b.do(record.Job{Target: target}, finds()); len(run.Fixed) > 0 {
		t.Errorf("fixed %q, want none", run.Fixed)
	}
}
