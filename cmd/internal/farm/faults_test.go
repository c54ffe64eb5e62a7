//go:build unix

package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// Work may stand still for a minute after a fault. That is measured if all faults are tried: the
// suite depends on no time, and only ends a test that hangs.
const (
	resumeTime = time.Minute
	hangTime   = 10 * time.Minute
)

// A farm of processes on loopback addresses: a cluster of three NATS servers, a keeper, and
// workers with recorded results. They are killed, stopped for longer than their lease, lose
// their disks, and clocks go back. All that was acknowledged can be read afterwards, no manifest
// was overwritten, no finding is told twice, and work goes on.
//
// With FORAY_FAULTS=all it is each node and each worker in turn, 104 jobs at once, a keeper that
// is stopped until another takes over, and disks that are really full where file systems can
// be mounted. That takes minutes.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers takes seconds to start")
	}
	workers, slots, jobTime, all := 3, 2, 20*time.Millisecond, os.Getenv("FORAY_FAULTS") == "all"
	if all {
		workers, slots, jobTime = 8, 13, 5*time.Second
	}
	s := newScene(t, workers, slots, jobTime)
	s.limit = hangTime
	s.progress("the start", 10)
	if all {
		s.limit = resumeTime
		for i := range s.nodes {
			s.loseNode(i, i == 1)
		}
		for i := range s.workers {
			s.killWithJob(i)
		}
		s.fullDisks()
		s.replaceKeeper()
	} else {
		s.loseNode(0, false)
	}
	s.killDistiller()
	s.stopDistiller()
	s.stopWithJob(0)
	s.killKeeper()
	s.loseBroker()
	s.end()
}

// loseNode kills a node of the broker, perhaps wipes its disk, and starts it again.
func (s *scene) loseNode(i int, wipe bool) {
	s.nodes[i].kill()
	s.progress(fmt.Sprint("node ", i, " was killed"), 5)
	if wipe {
		s.wipe(i)
	}
	s.nodes[i] = s.start(s.nodes[i].part)
	s.progress(fmt.Sprint("node ", i, " is back, disk wiped: ", wipe), 5)
}

// loseBroker kills all nodes of the broker and wipes their disks.
func (s *scene) loseBroker() {
	for i := range s.nodes {
		s.nodes[i].kill()
		s.wipe(i)
	}
	for i := range s.nodes {
		s.nodes[i] = s.start(s.nodes[i].part)
	}
	s.progress("the broker was lost with its disks", 5)
}

func (s *scene) wipe(i int) {
	dir := s.nodes[i].Dir
	list, err := os.ReadDir(dir)
	for _, e := range list {
		err = cmp.Or(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// killWithJob kills a worker in the middle of a job. Another one runs it.
func (s *scene) killWithJob(i int) {
	began, job := s.hold(i)
	s.workers[i].kill()
	s.await("the job of a worker that was killed is run", began, func(l *said) bool { return l.Kind == "put" && strings.HasSuffix(l.Name, job) })
	s.workers[i] = s.start(s.workers[i].part)
	s.progress(fmt.Sprint("worker ", i, " was killed"), 5)
}

// stopWithJob stops a worker until another one has run its job. Then it goes on.
func (s *scene) stopWithJob(i int) {
	began, job := s.hold(i)
	w := s.workers[i]
	ran := func(by bool) func(*said) bool {
		return func(l *said) bool {
			return l.Kind == "put" && strings.HasPrefix(l.Name, "runs/") && strings.HasSuffix(l.Name, job) && (l.from == w) == by
		}
	}
	w.signal(syscall.SIGSTOP)
	began, _ = s.await("the job of a worker that was stopped is run", began, ran(false))
	w.signal(syscall.SIGCONT)
	w.tell("go")
	_, late := s.await("the worker that was stopped stores its result, too", began, ran(true))
	if late.Added {
		s.t.Errorf("the late result %s replaced that of another", late.Name)
	}
}

// hold has a worker stop in the middle of its next job, and returns the job.
func (s *scene) hold(i int) (mark int, job string) {
	mark = s.mark()
	w := s.workers[i]
	w.tell("hold job")
	mark, _ = s.await("a worker does as it is told", mark, func(l *said) bool { return l.from == w && l.Kind == "holds" })
	mark, l := s.await("a worker gets a job", mark, func(l *said) bool { return l.from == w && l.Kind == "job" })
	return mark, l.Name
}

// distiller begins to distill a target, and returns the worker that does it.
func (s *scene) distiller() (mark, worker int, generation string) {
	mark = s.mark()
	for i, w := range s.workers {
		w.tell("hold distill")
		s.await("a worker does as it is told", mark, func(l *said) bool { return l.from == s.workers[i] && l.Kind == "holds" })
	}
	s.jobs++
	target := planned(1)[0]
	job := record.Job{ID: record.JobID{Seq: s.jobs}, Kind: record.Distill, Target: target, Version: "v1", Created: time.Now()}
	for s.queue.Add(s.t.Context(), &job) != nil { // no leader at the moment
		if s.t.Context().Err() != nil {
			s.t.Fatal("no job could be added")
		}
	}
	mark, l := s.await("somebody distills", mark, func(l *said) bool { return l.Kind == "distill" })
	return mark, slices.Index(s.workers, l.from), record.GenerationName(target.ID())
}

// killDistiller kills the worker that distills. Another one does it.
func (s *scene) killDistiller() {
	mark, i, generation := s.distiller()
	s.workers[i].kill()
	for _, w := range slices.Delete(slices.Clone(s.workers), i, i+1) {
		w.tell("go")
	}
	s.await("somebody else distills", mark, func(l *said) bool { return l.Kind == "swap" && l.Name == generation })
	s.workers[i] = s.start(s.workers[i].part)
	s.progress("the worker that distilled was killed", 5)
}

// stopDistiller stops the worker that distills until another one has done it. Then it goes on,
// and does not replace the generation of the other.
func (s *scene) stopDistiller() {
	mark, i, generation := s.distiller()
	w := s.workers[i]
	w.signal(syscall.SIGSTOP)
	for _, w := range slices.Delete(slices.Clone(s.workers), i, i+1) {
		w.tell("go")
	}
	mark, _ = s.await("somebody else distills", mark, func(l *said) bool { return l.Kind == "swap" && l.Name == generation })
	w.signal(syscall.SIGCONT)
	w.tell("go")
	s.await("the worker that was stopped is refused", mark, func(l *said) bool { return l.from == w && l.Kind == "conflict" && l.Name == generation })
}

// killKeeper kills the keeper. The next one has a clock that is an hour slow.
func (s *scene) killKeeper() {
	s.keeper.kill()
	p := s.keeper.part
	p.Slow += time.Hour
	s.keeper = s.start(p)
	s.progress("the keeper was killed, and the next one's clock is an hour slow", 5)
}

// replaceKeeper stops the keeper until another one has taken over, which takes it three beats
// and a half. Then it goes on, and ends at its next beat.
func (s *scene) replaceKeeper() {
	old, mark := s.keeper, s.mark()
	old.signal(syscall.SIGSTOP)
	s.keeper = s.start(old.part)
	mark, _ = s.await("another keeper takes over", mark, func(l *said) bool { return l.from == s.keeper && l.Kind == "swap" && l.Name == ownerName })
	s.progress("another keeper has taken over", 5)
	old.signal(syscall.SIGCONT)
	s.await("the old keeper ends", mark, func(l *said) bool {
		return l.from == old && l.Kind == "ended" && strings.Contains(l.Name, errTakenOver.Error())
	})
	s.progress("the keeper was stopped until another took over", 5)
}

// end ends all processes and checks what they leave.
func (s *scene) end() {
	for _, p := range append(slices.Clone(s.workers), s.keeper) {
		p.signal(syscall.SIGINT)
		if err := <-p.done; err != nil {
			s.t.Errorf("%s: %v", p.Name, err)
		}
	}
	v := s.history.check(s.t, openStore(s.t, filepath.Join(s.dir, "store")))
	s.mu.Lock()
	defer s.mu.Unlock()
	c := checker{t: s.t, swapped: map[string]bool{}, began: map[string]int{}, told: map[string]bool{}, most: map[string]int{}, pending: map[*process][]string{}}
	for i := range s.lines {
		c.take(&s.lines[i])
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; c.most[f.Key] != len(f.Changes) {
			s.t.Errorf("finding %s: %d changes, told %d", f.Signature, len(f.Changes), c.most[f.Key])
		}
	}
	if c.twice == 0 {
		s.t.Error("no job ran twice, so the faults were none")
	}
	s.t.Logf("%d jobs, %d of them more than once, %d results, %d findings, %d parked; work stood still for %v at most", len(c.began), c.twice, v.Runs, len(v.Findings), len(v.Poison), s.longest)
}

// A checker reads what processes have said.
type checker struct {
	t       *testing.T
	swapped map[string]bool       // manifests with the revisions that were replaced
	began   map[string]int        // how often each job was begun
	twice   int                   // jobs that were begun more than once
	pending map[*process][]string // changes that were told, and are not noted yet
	told    map[string]bool       // those that are noted
	most    map[string]int        // changes of each finding that were told
}

// take takes in a line. A change that is told, and noted in the store, is never told again.
func (c *checker) take(l *said) {
	switch l.Kind {
	case "swap":
		key := l.Name + " " + string(l.Data)
		if c.swapped[key] {
			c.t.Errorf("%s: revision %q was replaced twice", l.Name, l.Data)
		}
		c.swapped[key] = true
		if l.Name == toldName {
			for _, change := range c.pending[l.from] {
				c.told[change] = true
			}
			delete(c.pending, l.from)
		}
	case "told":
		change := l.Name + " " + string(l.Data)
		if c.told[change] {
			c.t.Errorf("change %s was told again", change)
		}
		c.pending[l.from] = append(c.pending[l.from], change)
		n, err := strconv.Atoi(string(l.Data))
		if err != nil {
			c.t.Error(err)
		}
		c.most[l.Name] = max(c.most[l.Name], n)
	case "job":
		if c.began[l.Name]++; c.began[l.Name] == 2 {
			c.twice++
		}
	}
}

// announced is a store that tells the test what it acknowledges.
type announced struct{ store.Store }

func (a announced) Put(ctx context.Context, name string, data []byte) (bool, error) {
	added, err := a.Store.Put(ctx, name, data)
	if err == nil {
		say(said{Kind: "put", Name: name, Data: data, Added: added})
	}
	return added, err
}

func (a announced) Swap(ctx context.Context, name string, data []byte, old store.Revision) (store.Revision, error) {
	rev, err := a.Store.Swap(ctx, name, data, old)
	switch {
	case err == nil:
		say(said{Kind: "swap", Name: name, Data: []byte(old)})
	case errors.Is(err, store.ErrConflict):
		say(said{Kind: "conflict", Name: name})
	}
	return rev, err
}

// fullDisks fills the disk of the store, and that of a node of the broker.
func (s *scene) fullDisks() {
	if !s.mounted {
		s.t.Log("no file system can be mounted, so no disk is really full")
		return
	}
	mark := s.mark()
	free := s.fill(filepath.Join(s.dir, "store"))
	s.await("somebody notices that the disk of the store is full", mark, func(l *said) bool { return l.Kind == "log" && strings.Contains(l.Name, "no space left") })
	free()
	s.progress("the disk of the store was full", 5)
	free = s.fill(s.nodes[0].Dir)
	s.progress("the disk of a node is full", 50)
	free()
	s.loseNode(0, false)
}

// fill fills a file system. It returns a function that empties it again.
func (s *scene) fill(dir string) (free func()) {
	name := filepath.Join(dir, "ballast")
	f, err := os.Create(name)
	if err != nil {
		s.t.Fatal(err)
	}
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
	return func() {
		if err := cmp.Or(f.Close(), os.Remove(name)); err != nil {
			s.t.Error(err)
		}
	}
}

// connectTo connects to a cluster as soon as it has a leader.
func connectTo(ctx context.Context, url string) (*queue.Broker, error) {
	for {
		b, err := queue.Connect(queue.Connection{URL: url, Replicas: 3})
		if err == nil {
			b.SetLease(testLease)
			if err = b.Setup(ctx); err == nil {
				return b, nil
			}
			b.Close()
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}
