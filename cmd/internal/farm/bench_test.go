//go:build unix

package farm

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/queue"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// recordedWork is a runner that takes a job's time and gives what foray fuzz gave once.
type recordedWork struct {
	simulated
	first sync.Once
	began time.Time // of the first job
	busy  atomic.Int64
}

func (r *recordedWork) Run(ctx context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	start := time.Now()
	r.first.Do(func() { r.began = start })
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(job.Seconds * float64(time.Second))):
	}
	r.busy.Add(int64(time.Since(start)))
	return r.simulated.Run(ctx, job, dir)
}

// BenchmarkWorkers measures the layer of the farm: busy-workers is how many workers fuzz at a
// time, on average from the first job on. Jobs are twelve times shorter than real ones.
// cpu-ms/job is the processor time of all parts for a job, which a busy machine changes little.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 10, 100} {
		b.Run(fmt.Sprint("n=", workers), func(b *testing.B) {
			for b.Loop() {
				measure(b, workers)
			}
		})
	}
}

// measure runs a farm with some workers for a while.
func measure(b *testing.B, workers int) {
	const jobTime, span = 10 * time.Second, 32 * time.Second
	dir := b.TempDir()
	s, err := store.OpenDir(filepath.Join(dir, "store"))
	if err != nil {
		b.Fatal(err)
	}
	q, err := queue.Embed(filepath.Join(dir, "queue"))
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	r := &recordedWork{simulated: simulated{entries: 10}}
	ctx, cancel := context.WithTimeout(b.Context(), span)
	defer cancel()
	var all sync.WaitGroup
	for i := range workers {
		name := fmt.Sprint("w", i)
		w := &work.Worker{Name: name, Version: "v1", Store: s, Queue: q, Runner: r, Dir: filepath.Join(dir, name), Log: func(string, ...any) {}, Retry: time.Second}
		all.Go(func() {
			if err := w.Run(ctx, 1); err != nil {
				b.Error(err)
			}
		})
	}
	before := cpuTime(b)
	v, err := Run(ctx, Config{
		Store: s, Queue: q, Slots: workers, Job: jobTime, Version: "v1", Seed: 1, Now: time.Now, Log: b.Logf,
		Targets: func(context.Context) ([]record.Target, []Problem) { return planned(20), nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	all.Wait()
	cpu := cpuTime(b) - before
	names, err := s.List(b.Context(), "entries/")
	if err != nil {
		b.Fatal(err)
	}
	elapsed := time.Since(r.began).Seconds()
	b.ReportMetric(time.Duration(r.busy.Load()).Seconds()/elapsed, "busy-workers")
	b.ReportMetric(float64(len(names))/elapsed, "entries/s")
	b.ReportMetric(cpu.Seconds()*1000/float64(v.Runs), "cpu-ms/job")
	b.ReportMetric(float64(v.Runs), "jobs")
}

// BenchmarkBroker measures the processor time of the queue for ten entries and one job, of
// sender, server and receiver together.
func BenchmarkBroker(b *testing.B) {
	q, err := queue.Embed(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	if err := q.Setup(b.Context()); err != nil {
		b.Fatal(err)
	}
	var heard atomic.Int64
	stop, err := q.Listen(func(queue.News) { heard.Add(1) })
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	job := record.Job{Target: planned(1)[0], Version: "v1"}
	before := cpuTime(b)
	n := 0
	for b.Loop() {
		n++
		job.ID.Seq++
		for i := range 10 {
			if err := q.Tell(queue.News{Worker: "w", Object: fmt.Sprintf("entries/0123456789abcdef/%032d", i)}); err != nil {
				b.Fatal(err)
			}
		}
		if err := q.Add(b.Context(), &job); err != nil {
			b.Fatal(err)
		}
		held, err := q.Take(b.Context(), time.Minute)
		if err != nil || held == nil {
			b.Fatal(held, err)
		}
		if err := held.Done(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(n), "cpu-µs/op")
}

// cpuTime returns the processor time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
