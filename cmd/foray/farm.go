//go:build !nofarm

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/discover"
	"foray.test/cmd/internal/farm/farmfile"
	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/notify"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/report"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/web"
	"foray.test/cmd/internal/farm/work"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
)

const farmDoc = `A farm fuzzes all that a module has, for hours: the API of its packages, and their
fuzz targets. It divides the time among them, keeps one corpus for each, and a
history of findings. It may be interrupted, or killed, and started again.`

func farmCommands() []command {
	return []command{{name: "farm", args: "command ...", short: "fuzz many targets for hours", doc: farmDoc, sub: []command{
		{name: "run", args: "[flags] packages...", short: "run a farm on this machine", doc: farmRunDoc, new: newFarmRun},
		{name: "worker", args: "[flags]", short: "work for a farm elsewhere", doc: farmWorkerDoc, new: newFarmWorker},
		{name: "init", args: "[flags]", short: "write a farm file with comments", doc: farmInitDoc, new: newFarmInit},
		{name: "status", args: "[flags]", short: "show what a farm does", doc: farmStatusDoc, new: newFarmStatus},
		{name: "report", args: "[flags]", short: "write targets and findings for other programs", doc: farmReportDoc, new: newFarmReport},
		{name: "bisect", args: "[flags] [signatures...]", short: "find the commits that brought findings", doc: farmBisectDoc, new: newFarmBisect, files: true},
		{name: "silence", args: "[flags] signature", short: "tell of a finding no more", doc: farmSilenceDoc, new: newFarmSilence, files: true},
		{name: "pause", args: "[flags]", short: "give out no more jobs", doc: farmPauseDoc, new: setFarmState(farm.Paused)},
		{name: "resume", args: "[flags]", short: "give out jobs again", doc: farmPauseDoc, new: setFarmState(farm.Running)},
		{name: "drain", args: "[flags]", short: "end once no job runs", doc: farmPauseDoc, new: setFarmState(farm.Draining)},
	}}}
}

const farmRunDoc = `Run fuzzes the packages, and the fuzz targets of their tests, until interrupted or
for -for. Of a main package it fuzzes the targets only. It needs no server: a queue
runs in this process and listens nowhere.

  foray farm run ./...
  foray farm run -for 8h ./... github.com/google/btree@latest

Each job is a foray fuzz of its own, of two minutes. A target from which nothing new
comes gets less time, changed code more. A package that cannot be built is told, and
tried again when it changes.

The state is kept in -store, by default in the user's cache directory, where the next
start in this module goes on. With -url, jobs are given out through a NATS server, and
foray farm worker takes them on other machines.

With -http, pages at that address show targets and findings, and /metrics is there for
Prometheus. With -webhook, an address is told of each finding once when it is new, fixed,
or there again. All that may also stand in a farm file, which -f names and foray farm
init writes.`

// farmOptions are the options of all commands of a farm.
type farmOptions struct {
	*common
	store string // address
	conn  queue.Connection
	slots int
	mu    sync.Mutex // workers and the farm print
}

func newFarmOptions(fs *flag.FlagSet, c *common) *farmOptions {
	return newFarmOptionsWith(fs, c, "\n(default: the user's cache directory, by module)")
}

// newFarmOptionsWith is newFarmOptions with the end of the text about -store.
func newFarmOptionsWith(fs *flag.FlagSet, c *common, end string) *farmOptions {
	o := &farmOptions{common: c}
	fs.StringVar(&o.store, "store", "", "keep the state at `address`: a directory, or a bucket such as\ns3://name/prefix?endpoint=host:port"+end)
	return o
}

// connectionFlags are the flags of commands that use a NATS server.
func (o *farmOptions) connectionFlags(fs *flag.FlagSet, url string) {
	fs.StringVar(&o.conn.URL, "url", "", url)
	fs.StringVar(&o.conn.Credentials, "creds", "", "sign in at the server with a `file` of credentials, or of an NKey\nseed (.nk)")
	fs.StringVar(&o.conn.CA, "ca", "", "trust a server with a certificate that one of `file` has signed")
	numberFlag(fs, &o.slots, maxNumber, "workers", "run `n` jobs at once (default: one for each processor)")
}

// address returns where the state is.
func (o *farmOptions) address() (string, error) {
	if o.store != "" {
		return o.store, nil
	}
	dir, err := farmDir()
	return filepath.Join(dir, "store"), err
}

// farmDir returns the directory of a farm on the module at hand.
func farmDir() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &load.Error{Place: "-store", Msg: err.Error(), Hint: "name a directory"}
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, "foray-farm", filepath.Base(root)+"-"+hex.EncodeToString(sum[:4])), nil
}

// workDir returns the directory for the corpora of jobs of the farm with a store: two farms on one
// module have one each.
func workDir(address string) (string, error) {
	dir, err := farmDir()
	if err != nil {
		return "", err
	}
	if !strings.Contains(address, "://") {
		if address, err = filepath.Abs(address); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(dir, "work-"+hex.EncodeToString(sum[:4])), nil
}

// moduleRoot returns the directory with the go.mod or go.work that governs here, else the
// current one.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return dir, nil
		}
	}
}

func (o *farmOptions) open(ctx context.Context) (store.Store, string, error) {
	address, err := o.address()
	if err != nil {
		return nil, "", err
	}
	s, err := store.Open(ctx, address)
	if err != nil {
		return nil, "", &load.Error{Msg: err.Error(), Hint: cmp.Or(o.hint(err), "-store names a directory, or a bucket s3://name/prefix")}
	}
	return s, address, nil
}

// worker returns a worker of this process. Corpora of its jobs are below dir.
func (o *farmOptions) worker(s store.Store, b *queue.Broker, dir string) (*work.Worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	o.slots = cmp.Or(o.slots, runtime.GOMAXPROCS(0))
	return &work.Worker{
		Name: fmt.Sprintf("%s.%d", host, os.Getpid()), Version: version(), Store: s, Queue: b, Dir: dir, Log: o.log,
		Runner: &fuzzrun.Runner{Foray: exe, Dir: root, Flags: o.build},
	}, nil
}

// log prints a line of a farm, and a hint to an error that has one.
func (o *farmOptions) log(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.out.Quiet()
	fmt.Fprintf(os.Stderr, "foray: farm: "+format+"\n", args...)
	for _, arg := range args {
		if err, ok := arg.(error); ok && o.hint(err) != "" {
			fmt.Fprintf(os.Stderr, "  hint: %s\n", o.hint(err))
		}
	}
}

// farmRunOptions are the options of foray farm run.
type farmRunOptions struct {
	*farmOptions
	job, duration time.Duration
	seed          seed
	jobs          int
	file          string
	http, webhook string
	only, skip    []farmfile.Regexp // of names of targets
	retention     time.Duration
}

func newFarmRun(fs *flag.FlagSet, c *common) runner {
	o := &farmRunOptions{farmOptions: newFarmOptions(fs, c)}
	o.connectionFlags(fs, "give out jobs through the NATS server at `address` (default: a\nqueue in this process)")
	fs.DurationVar(&o.job, "job", 2*time.Minute, "fuzz a target for so long before the next one has its turn")
	fs.DurationVar(&o.duration, "for", 0, "end after so long, such as 8h (default: when interrupted)")
	numberFlag(fs, &o.jobs, maxNumber, "jobs", "end after the results of `n` jobs (default: any number)")
	fs.Func("seed", "start the random source of the first job at `n`, of the next at\nn+1 (default: from the clock)", o.seed.set)
	fs.StringVar(&o.file, "f", "", "do what a farm `file` says; other flags go before it")
	fs.StringVar(&o.http, "http", "", "show pages and metrics at `address`, such as localhost:8700")
	fs.StringVar(&o.webhook, "webhook", "", "tell an `address` of findings that are new, fixed or there again")
	set := func(name string) bool {
		is := false
		fs.Visit(func(f *flag.Flag) { is = is || f.Name == name })
		return is
	}
	return func(ctx context.Context) (int, error) {
		if err := o.readFile(set, fs.NArg() > 0); err != nil {
			return exitUsage, err
		}
		return o.run(ctx)
	}
}

// readFile takes from the farm file what no flag has set.
func (o *farmRunOptions) readFile(set func(string) bool, packages bool) error {
	if o.file == "" {
		return nil
	}
	f, err := farmfile.Read(o.file)
	if err != nil {
		return &load.Error{Msg: err.Error(), Hint: "foray farm init writes a farm file with comments"}
	}
	if len(f.Packages) > 0 && !packages {
		o.args = f.Packages
	}
	text := func(name string, to *string, from string) {
		if from != "" && !set(name) {
			*to = from
		}
	}
	text("store", &o.store, f.Store)
	text("http", &o.http, f.HTTP)
	text("webhook", &o.webhook, string(f.Webhook))
	text("url", &o.conn.URL, f.Queue.URL)
	text("creds", &o.conn.Credentials, f.Queue.Credentials)
	text("ca", &o.conn.CA, f.Queue.CA)
	o.conn.Replicas = int(f.Queue.Replicas)
	if f.Job > 0 && !set("job") {
		o.job = time.Duration(f.Job)
	}
	if f.For > 0 && !set("for") {
		o.duration = time.Duration(f.For)
	}
	if f.Workers > 0 && !set("workers") {
		o.slots = int(f.Workers)
	}
	o.only, o.skip, o.retention = f.Only, f.Skip, time.Duration(f.Retention)
	o.common.build = append(f.Build, o.common.build...)
	return nil
}

// targets finds what to fuzz.
func (o *farmRunOptions) targets(root string) func(context.Context) ([]record.Target, []farm.Problem) {
	return func(ctx context.Context) ([]record.Target, []farm.Problem) {
		list, problems := discover.Targets(ctx, root, o.common.build, o.patterns(), version())
		return slices.DeleteFunc(list, func(t record.Target) bool { return !o.wants(t.String()) }), problems
	}
}

// wants reports whether the farm file lets a target be fuzzed.
func (o *farmRunOptions) wants(name string) bool {
	match := func(re farmfile.Regexp) bool { return re.MatchString(name) }
	return (len(o.only) == 0 || slices.ContainsFunc(o.only, match)) && !slices.ContainsFunc(o.skip, match)
}

// serve shows pages at -http until ctx ends. It returns a function that is told the state.
func (o *farmRunOptions) serve(ctx context.Context, s store.Store) (func(*farm.View), error) {
	if o.http == "" {
		return func(*farm.View) {}, nil
	}
	l, err := net.Listen("tcp", o.http)
	if err != nil {
		return nil, &load.Error{Place: "-http", Msg: err.Error(), Hint: "such as localhost:8700"}
	}
	prefix := repositoryPrefix(ctx)
	pages := web.New(func(ctx context.Context, f *ledger.Finding) (*record.Report, error) { return farm.Report(ctx, s, f) }, report.Line,
		func(v *farm.View, f *ledger.Finding, r *record.Report) string {
			return report.Patch(report.Input{View: v, Reports: map[string]*record.Report{f.Key: r}, Prefix: prefix}, []ledger.Finding{*f})
		})
	server := &http.Server{Handler: pages.Handler(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(l) }() // its only error is that it was closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	o.out.Printf("farm: pages at http://%s", l.Addr())
	return pages.Show, nil
}

// check reports what is wrong with the options.
func (o *farmRunOptions) check() error {
	if o.job < time.Second || o.duration < 0 {
		return &load.Error{Msg: fmt.Sprintf("-job %v, -for %v: want at least a second, and no negative time", o.job, o.duration)}
	}
	if o.conn.URL != "" && o.store == "" {
		return &load.Error{Msg: "foray farm run: want -store with -url", Hint: "workers elsewhere need the same store: a bucket, or a directory that all share"}
	}
	return nil
}

func (o *farmRunOptions) run(ctx context.Context) (int, error) {
	if err := o.check(); err != nil {
		return exitUsage, err
	}
	s, address, err := o.open(ctx)
	if err != nil {
		return exitUsage, err
	}
	dir, b, err := o.place(address)
	if err != nil {
		return exitUsage, err
	}
	defer b.Close()
	w, err := o.worker(s, b, dir)
	if err != nil {
		return exitUsage, err
	}
	o.seed.setSeed()
	root, err := moduleRoot()
	if err != nil {
		return exitUsage, err
	}
	show, err := o.serve(ctx, s)
	if err != nil {
		return exitUsage, err
	}
	began := time.Now()
	c := farm.Config{
		Store: s, Queue: b, Worker: w, Slots: o.slots, Job: o.job, Duration: o.duration, Jobs: o.jobs, Retain: o.retention, Version: version(), Seed: o.seed.n,
		Revision: headCommit, Log: o.log, Changed: o.changed, Now: time.Now, Targets: o.targets(root),
		Tick: func(v *farm.View) {
			show(v)
			o.progress(v, time.Since(began))
		},
	}
	o.out.Printf("farm: state in %s, seed %d, %s at once, jobs of %v", o.out.Relative(address), o.seed.n, text.Plural(o.slots, "job"), o.job)
	o.out.Begin()
	v, err := farm.Run(ctx, c)
	if err != nil {
		return exitUsage, o.explain(o.nothing(err))
	}
	return o.report(v), nil
}

// nothing returns the reasons of a farm that has nothing to fuzz, and other errors as they are.
func (o *farmRunOptions) nothing(err error) error {
	none, ok := errors.AsType[*farm.NoTargetsError](err)
	if !ok {
		return err
	}
	if len(none.Problems) == 0 {
		return &load.Error{Place: strings.Join(o.patterns(), " "), Msg: none.Error(), Hint: "only and skip of the farm file choose targets; a main package has only the fuzz targets of its tests"}
	}
	var list []error
	for _, p := range none.Problems {
		list = append(list, &load.Error{Place: p.Place, Msg: p.Msg, Hint: p.Hint})
	}
	return errors.Join(list...)
}

// place returns the directory in which workers work, and a broker with an empty queue.
func (o *farmRunOptions) place(address string) (dir string, b *queue.Broker, err error) {
	if dir, err = workDir(address); err != nil {
		return "", nil, err
	}
	temp, err := o.temps.make()
	if err != nil {
		return "", nil, err
	}
	b, err = o.broker(temp)
	return dir, b, err
}

// report prints the state of the farm at its end, and returns the exit status.
func (o *farmRunOptions) report(v *farm.View) int {
	o.out.Quiet()
	report.Text(os.Stdout, v, o.verbose)
	switch {
	case report.Fails(v):
		return exitFindings
	case report.NoneRuns(v):
		return exitUsage
	}
	return exitClean
}

// progress prints the state of the farm.
func (o *farmRunOptions) progress(v *farm.View, elapsed time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.out.Progress(elapsed, func() string { return fmt.Sprintf("farm: elapsed: %ds, %s", int(elapsed.Seconds()), report.Line(v)) }, nil)
}

// broker returns the queue: embedded, unless there is an address.
func (o *farmOptions) broker(dir string) (*queue.Broker, error) {
	if o.conn.URL == "" {
		return queue.Embed(dir)
	}
	b, err := queue.Connect(o.conn)
	if err != nil {
		return nil, &load.Error{Msg: err.Error(), Hint: "-url, -creds and -ca say how to reach the server"}
	}
	return b, nil
}

// hint returns what to do about an error of a farm, "" if it does not say.
func (o *farmOptions) hint(err error) string {
	var owned *farm.OwnedError
	switch {
	case errors.As(err, &owned):
		return "foray farm status shows it; -store gives this one a state of its own"
	case errors.Is(err, fs.ErrPermission) && strings.Contains(o.store, "://"):
		return "the credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials; deploy/bucket-policy.json has the rights"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "-store names a directory that this user may write"
	}
	return ""
}

// explain adds a hint to errors that have one.
func (o *farmOptions) explain(err error) error {
	if hint := o.hint(err); hint != "" {
		return &load.Error{Msg: err.Error(), Hint: hint}
	}
	return err
}

// changed prints a finding that is new, fixed or there again, and tells it to -webhook.
func (o *farmRunOptions) changed(ctx context.Context, v *farm.View, f *ledger.Finding, n int) error {
	if f.Tier == "error" {
		o.mu.Lock()
		o.out.Quiet()
		o.out.Printf("%s", report.FindingText(v, f))
		o.mu.Unlock()
	}
	if o.webhook == "" {
		return nil
	}
	return notify.Send(ctx, o.webhook, v.Name(f.Target), f, n)
}

// headCommit returns the commit of the module at hand, "" if there is none or files differ
// from it.
func headCommit(ctx context.Context) string {
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil || len(changed) > 0 {
		return ""
	}
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(head))
}

// repositoryPrefix returns the directory of the module at hand in its repository, with a slash
// at the end; "" if it is at the top, or in none.
func repositoryPrefix(ctx context.Context) string {
	root, err := moduleRoot()
	if err != nil {
		return ""
	}
	out, _ := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "--show-prefix").Output()
	return strings.TrimSpace(string(out))
}

const farmWorkerDoc = `Worker takes jobs of the farm at -url, and adds their results to -store, until
interrupted. It runs in a checkout of the module that the farm fuzzes.`

func newFarmWorker(fs *flag.FlagSet, c *common) runner {
	o := newFarmOptionsWith(fs, c, ", the same as that of\nforay farm run")
	o.connectionFlags(fs, "take jobs from the NATS server at `address`")
	return o.runWorker
}

func (o *farmOptions) runWorker(ctx context.Context) (int, error) {
	if o.conn.URL == "" || o.store == "" {
		return exitUsage, &load.Error{Msg: "foray farm worker: want -url and -store", Hint: "foray farm run works on one machine without"}
	}
	s, _, err := o.open(ctx)
	if err == nil {
		err = farm.CheckWorker(ctx, s, version(), headCommit(ctx))
	}
	if err != nil {
		return exitUsage, o.explain(err)
	}
	b, err := o.broker("")
	if err != nil {
		return exitUsage, err
	}
	defer b.Close()
	dir, err := o.temps.make()
	if err != nil {
		return exitUsage, err
	}
	w, err := o.worker(s, b, dir)
	if err != nil {
		return exitUsage, err
	}
	o.out.Printf("farm: worker %s, %s at once", w.Name, text.Plural(o.slots, "job"))
	if err := w.Run(ctx, o.slots); err != nil {
		return exitUsage, err
	}
	return exitClean, nil
}
