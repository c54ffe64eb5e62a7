//go:build unix

package farm

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// testLease is long enough for a busy machine to say in time that a worker lives.
const testLease = 3 * time.Second

// part is what a process of a scene does.
type part struct {
	Role    string
	Name    string
	Dir     string // its own
	URL     string // of the cluster
	Store   string
	Port    int // of a node
	Cluster int // port of a node for the others
	Routes  string
	Slots   int           // of a worker; of a keeper those of all
	JobTime time.Duration // of a worker
	Slow    time.Duration // of a keeper's clock
}

// said is a line that a process tells the test.
type said struct {
	Kind  string
	Name  string
	Data  []byte `json:",omitempty"`
	Added bool   `json:",omitempty"`
	from  *process
}

// actEnv has the part of a process, as JSON.
const actEnv = "FORAY_TEST_PART"

// TestMain lets the test be a process of a farm.
func TestMain(m *testing.M) {
	if text := os.Getenv(actEnv); text != "" {
		var p part
		err := json.Unmarshal([]byte(text), &p)
		if err == nil {
			err = p.act()
		}
		if err != nil {
			say(said{Kind: "ended", Name: err.Error()})
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var saying sync.Mutex

// say tells the test something.
func say(l said) {
	saying.Lock()
	defer saying.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		os.Exit(1) // the test is gone
	}
}

func logged(format string, args ...any) { say(said{Kind: "log", Name: fmt.Sprintf(format, args...)}) }

// act does what a part says until the process is interrupted, or the test is gone.
func (p *part) act() error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	g := &gate{}
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			g.set(strings.TrimPrefix(in.Text(), "hold "))
			say(said{Kind: "holds", Name: in.Text()})
		}
		os.Exit(1)
	}()
	switch p.Role {
	case "node":
		return p.node()
	case "worker":
		return p.worker(ctx, g)
	}
	return p.keep(ctx)
}

func (p *part) node() error {
	s, err := server.NewServer(&server.Options{
		ServerName: p.Name, Host: "127.0.0.1", Port: p.Port, JetStream: true, SyncAlways: true, StoreDir: p.Dir, NoLog: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: p.Cluster}, Routes: server.RoutesFromStr(p.Routes),
	})
	if err == nil {
		s.Start()
		s.WaitForShutdown()
	}
	return err
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

// join opens the store of a part and connects it to the queue.
func (p *part) join(ctx context.Context) (*store.Dir, *queue.Broker, error) {
	disk, err := store.OpenDir(p.Store)
	if err != nil {
		return nil, nil, err
	}
	b, err := connectTo(ctx, p.URL)
	return disk, b, err
}

func (p *part) worker(ctx context.Context, g *gate) error {
	disk, b, err := p.join(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	w := &work.Worker{
		Name: p.Name, Version: "v1", Store: announced{&failing{Store: disk}}, Queue: b, Dir: p.Dir, Log: logged, Retry: 20 * time.Millisecond,
		Runner: &gated{simulated{entries: 1}, g, p.JobTime},
	}
	return w.Run(ctx, p.Slots)
}

func (p *part) keep(ctx context.Context) error {
	disk, b, err := p.join(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = Run(ctx, Config{
		Store: announced{disk}, Queue: b, Slots: p.Slots, Job: time.Minute, Version: "v1", Seed: 1, Log: logged, every: 50 * time.Millisecond,
		Targets: func(context.Context) ([]record.Target, []Problem) { return planned(20), nil },
		Now:     func() time.Time { return time.Now().Add(-p.Slow) },
		Changed: func(_ context.Context, _ *View, f *ledger.Finding, n int) error {
			say(said{Kind: "told", Name: f.Key, Data: fmt.Append(nil, n)})
			return nil
		},
	})
	return err
}

// gate holds jobs of one kind.
type gate struct {
	mu   sync.Mutex
	what string        // job or distill
	open chan struct{} // closed when they may go on
}

// set holds jobs of a kind from now on, and lets those of another go on.
func (g *gate) set(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
	}
	g.what, g.open = what, make(chan struct{})
}

func (g *gate) pass(ctx context.Context, what string) {
	g.mu.Lock()
	open, hold := g.open, g.what == what
	g.mu.Unlock()
	if hold {
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
}

// gated is a runner that takes a time for each job, and can be held.
type gated struct {
	simulated
	gate *gate
	time time.Duration
}

func (g *gated) Run(ctx context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	say(said{Kind: "job", Name: job.ID.String()})
	g.gate.pass(ctx, "job")
	select {
	case <-ctx.Done():
	case <-time.After(g.time):
	}
	return g.simulated.Run(ctx, job, dir)
}

func (g *gated) Distill(ctx context.Context, job *record.Job, dir string) error {
	say(said{Kind: "distill", Name: job.ID.String()})
	g.gate.pass(ctx, "distill")
	return g.simulated.Distill(ctx, job, dir)
}

// process is a process of a scene.
type process struct {
	part
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan error // has its end
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("%s: %v", p.Name, err)
	}
}

// kill ends a process without a warning.
func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	<-p.done
}

// tell has a process hold jobs, or go on.
func (p *process) tell(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		p.t.Fatalf("%s: %v", p.Name, err)
	}
}

// scene is a farm of processes, and what they have said.
type scene struct {
	t       *testing.T
	dir     string
	nodes   []*process
	workers []*process
	keeper  *process
	queue   *queue.Broker
	jobs    uint64 // that the test has added
	mounted bool   // disks of their own for the store and each node
	limit   time.Duration
	longest time.Duration // that work stood still

	mu      sync.Mutex
	lines   []said
	news    chan struct{} // closed with the next line
	history history
	added   map[string]bool
}

// newScene starts a farm.
func newScene(t *testing.T, workers, slots int, jobTime time.Duration) *scene {
	s := &scene{t: t, dir: t.TempDir(), news: make(chan struct{}), history: history{puts: map[string][]byte{}, killed: true}, added: map[string]bool{}}
	if os.Getenv("FORAY_FAULTS") == "all" {
		s.mounted = mountDisks(t, filepath.Join(s.dir, "store"), filepath.Join(s.dir, "n0"))
	}
	var nodes [3]part
	routes, urls := "", ""
	for i := range nodes {
		name := fmt.Sprint("n", i)
		nodes[i] = part{Role: "node", Name: name, Dir: filepath.Join(s.dir, name), Port: freePort(t), Cluster: freePort(t)}
		routes += fmt.Sprintf(",nats://127.0.0.1:%d", nodes[i].Cluster)
		urls += fmt.Sprintf(",nats://127.0.0.1:%d", nodes[i].Port)
	}
	for _, p := range nodes {
		p.Routes = routes[1:]
		s.nodes = append(s.nodes, s.start(p))
	}
	storeDir := filepath.Join(s.dir, "store")
	s.keeper = s.start(part{Role: "keeper", Name: "keeper", URL: urls[1:], Store: storeDir, Slots: workers * slots})
	for i := range workers {
		name := fmt.Sprint("w", i)
		s.workers = append(s.workers, s.start(part{Role: "worker", Name: name, Dir: filepath.Join(s.dir, name), URL: urls[1:], Store: storeDir, Slots: slots, JobTime: jobTime}))
	}
	var err error
	if s.queue, err = connectTo(t.Context(), urls[1:]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.queue.Close)
	return s
}

// start starts a process, which ends with the test.
func (s *scene) start(p part) *process {
	s.t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &process{part: p, t: s.t, cmd: exec.Command(os.Args[0]), done: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), actEnv+"="+string(data))
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		dec := json.NewDecoder(out)
		for {
			l := said{from: c}
			if err := dec.Decode(&l); err != nil {
				return // it has ended
			}
			s.hear(l)
		}
	}()
	go func() {
		<-heard
		c.done <- c.cmd.Wait()
		close(c.done)
	}()
	s.t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-heard
	})
	return c
}

// hear takes in what a process says.
func (s *scene) hear(l said) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Kind == "put" {
		if l.Added && s.added[l.Name] {
			s.t.Errorf("%s was stored before, and was gone", l.Name)
		}
		s.added[l.Name] = s.added[l.Name] || l.Added
		if s.history.puts[l.Name] == nil || l.Added {
			s.history.puts[l.Name] = l.Data
		}
	}
	s.lines = append(s.lines, l)
	close(s.news)
	s.news = make(chan struct{})
}

// mark returns how much has been said.
func (s *scene) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// await waits until somebody says what is awaited, after the mark. It returns the mark after
// that.
func (s *scene) await(what string, mark int, is func(*said) bool) (int, *said) {
	s.t.Helper()
	limit := time.After(s.limit)
	for i := mark; ; {
		s.mu.Lock()
		lines, news := s.lines, s.news
		s.mu.Unlock()
		for ; i < len(lines); i++ {
			if is(&lines[i]) {
				return i + 1, &lines[i]
			}
		}
		select {
		case <-news:
		case <-limit:
			s.last(lines)
			s.t.Fatalf("not within %v: %s", s.limit, what)
		}
	}
}

// last tells the last things that each process has said.
func (s *scene) last(lines []said) {
	const each = 10
	told := map[*process][]string{}
	for _, l := range slices.Backward(lines) {
		if len(told[l.from]) < each {
			told[l.from] = append(told[l.from], l.Kind+" "+l.Name)
		}
	}
	for p, list := range told {
		slices.Reverse(list)
		s.t.Logf("%s said last:\n\t%s", p.Name, strings.Join(list, "\n\t"))
	}
}

// progress waits until the results of some jobs are stored that begin from now on.
func (s *scene) progress(what string, jobs int) {
	s.t.Helper()
	mark, start, begun := s.mark(), time.Now(), map[string]bool{}
	stored := func(l *said) bool {
		begun[l.Name] = begun[l.Name] || l.Kind == "job"
		return l.Kind == "put" && l.Added && strings.HasPrefix(l.Name, "runs/") && begun[filepath.Base(l.Name)]
	}
	for i := range jobs {
		mark, _ = s.await(what+": work goes on", mark, stored)
		if stood := time.Since(start); i == 0 && stood > s.longest {
			s.longest = stood.Round(time.Millisecond)
		}
	}
	s.t.Logf("%s: %d results after %v", what, jobs, time.Since(start).Round(time.Millisecond))
}

// mountDisks mounts small file systems on directories until the test has ended, and reports
// whether it could.
func mountDisks(t *testing.T, dirs ...string) bool {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := mountMemory(dir, 256<<20); err != nil {
			t.Logf("%s: %v", dir, err)
			return false
		}
		t.Cleanup(func() { unmount(t, dir) })
	}
	return true
}
