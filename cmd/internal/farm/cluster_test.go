package farm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// cluster is a JetStream cluster of three servers in this process, on loopback addresses.
type cluster struct {
	servers [3]*server.Server
	opts    [3]server.Options
}

// freePort returns a port that nobody uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startCluster starts a cluster with its files below dir.
func startCluster(t *testing.T, dir string) *cluster {
	t.Helper()
	c := &cluster{}
	routes := ""
	var ports [3]int
	for i := range ports {
		ports[i] = freePort(t)
		routes += fmt.Sprintf(",nats://127.0.0.1:%d", ports[i])
	}
	for i := range c.servers {
		c.opts[i] = server.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: freePort(t), JetStream: true, SyncAlways: true, StoreDir: filepath.Join(dir, fmt.Sprint("n", i)),
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[i]}, Routes: server.RoutesFromStr(routes[1:]), NoSigs: true, NoLog: true,
		}
		c.start(t, i)
	}
	t.Cleanup(func() {
		for _, s := range c.servers {
			s.Shutdown()
			s.WaitForShutdown()
		}
	})
	return c
}

func (c *cluster) start(t *testing.T, i int) {
	t.Helper()
	opts := c.opts[i]
	s, err := server.NewServer(&opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
}

func (c *cluster) stop(i int) {
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
}

// url returns the addresses of all servers.
func (c *cluster) url() string {
	list := ""
	for i := range c.opts {
		list += fmt.Sprintf(",nats://127.0.0.1:%d", c.opts[i].Port)
	}
	return list[1:]
}

// connect connects to the cluster, as soon as it has a leader.
func (c *cluster) connect(t *testing.T) *queue.Broker {
	t.Helper()
	b, err := queue.Connect(queue.Connection{URL: c.url(), Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	b.SetLease(time.Second)
	for range 20 {
		if err = b.Setup(t.Context()); err == nil {
			return b
		}
	}
	t.Fatal(err)
	return nil
}

// failing is a store on a disk that is full now and then.
type failing struct {
	store.Store
	n atomic.Int64
}

func (f *failing) Put(ctx context.Context, name string, data []byte) (bool, error) {
	if f.n.Add(1)%11 == 0 {
		return false, fmt.Errorf("store: put %s: %w", name, syscall.ENOSPC)
	}
	return f.Store.Put(ctx, name, data)
}

// stalled is a runner that is stopped, the first time, until another worker has run its
// job. Its worker's heartbeats come too late.
type stalled struct {
	*simulated
	once sync.Once
	more chan struct{} // gets a value for each job that somebody has begun
	has  chan struct{} // closed once it has a job
	over chan struct{} // closed once another has run it
}

func (s *stalled) Run(ctx context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	s.once.Do(func() {
		close(s.has)
		defer close(s.over)
		for s.count(job.ID) == 0 {
			select {
			case <-ctx.Done():
				return
			case <-s.more:
			}
		}
	})
	return s.simulated.Run(ctx, job, dir)
}

func (s *simulated) count(id record.JobID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[id]
}

// A node of the broker is ended (with FORAY_FAULTS=all each in turn), then all, with their
// disks; the clock of the farm goes back; disks are full; a worker is stopped for longer than its lease; others are killed
// with their jobs. Nothing that was acknowledged is lost, no finding is told twice, and the
// farm goes on.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster of three servers takes seconds to start")
	}
	dir := t.TempDir()
	c := startCluster(t, dir)
	h := &history{puts: map[string][]byte{}}
	disk := openStore(t, filepath.Join(dir, "store"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	r := &simulated{entries: 3}
	begun := make(chan struct{}, 10_000)
	more := make(chan struct{}, 10_000)
	r.before = func(*record.Job) error {
		begun <- struct{}{}
		more <- struct{}{}
		return nil
	}
	var workers sync.WaitGroup
	newWorker := func(name string, runner work.Runner, lease time.Duration) {
		b := c.connect(t)
		b.SetLease(lease)
		w := &work.Worker{
			Name: name, Version: "v1", Queue: b, Runner: runner, Dir: filepath.Join(dir, name), Log: func(string, ...any) {}, Retry: 10 * time.Millisecond,
			Store: recorded{&failing{Store: disk}, h},
		}
		workers.Go(func() {
			defer b.Close()
			if err := w.Run(ctx, 2); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	clock := atomic.Int64{}
	clock.Store(time.Now().UnixNano())
	keeperQueue := c.connect(t)
	defer keeperQueue.Close()
	config := Config{
		Store: recorded{disk, h}, Queue: keeperQueue, Slots: 4, Job: time.Minute, Version: "v1", Seed: 1, Log: t.Logf, every: 20 * time.Millisecond,
		Targets: func(context.Context) ([]record.Target, []Problem) { return planned(5), nil },
		Now:     func() time.Time { return time.Unix(0, clock.Add(-int64(time.Minute))) }, // it runs backwards
	}
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, config)
		ended <- err
	}()

	has, over := make(chan struct{}), make(chan struct{})
	await := func(c chan struct{}, what string) {
		select {
		case <-c:
		case <-time.After(60 * time.Second):
			t.Fatal(what)
		}
	}
	newWorker("stopped", &stalled{simulated: r, more: more, has: has, over: over}, time.Hour)
	await(has, "the first worker got no job for a minute")
	for i := range 3 {
		newWorker(fmt.Sprint("w", i), r, time.Second)
	}

	jobs := func(n int) {
		for range n {
			select {
			case <-begun:
			case <-time.After(60 * time.Second):
				t.Fatal("no job was begun for a minute")
			}
		}
	}
	jobs(10)
	nodes := 1
	if os.Getenv("FORAY_FAULTS") == "all" {
		nodes = len(c.servers) // each takes some seconds
	}
	for i := range nodes {
		c.stop(i)
		jobs(5)
		c.start(t, i)
		jobs(5)
	}
	await(over, "nobody else ran the job of the stopped worker for a minute")
	killed := c.connect(t) // a worker that takes a job along
	if held, err := killed.Take(ctx, 5*time.Second); err != nil {
		t.Error(err)
	} else if held != nil {
		held.Drop()
	}
	killed.Close()
	for i := range c.servers {
		c.stop(i)
	}
	for i := range c.opts {
		if err := os.RemoveAll(c.opts[i].StoreDir); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.servers {
		c.start(t, i)
	}
	for len(begun) > 0 {
		<-begun
	}
	jobs(20)
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	workers.Wait()

	v := h.check(t, openStore(t, filepath.Join(dir, "store")))
	twice := 0
	for _, n := range r.jobs {
		if n > 1 {
			twice++
		}
	}
	t.Logf("%d jobs, %d of them more than once, %d runs, %d findings", len(r.jobs), twice, v.Runs, len(v.Findings))
	if twice == 0 {
		t.Error("no job ran twice, so the faults were none")
	}
	if len(v.Poison) > 0 {
		t.Errorf("parked: %v", v.Poison)
	}
}
