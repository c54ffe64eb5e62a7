package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func setupMemory(fs *flag.FlagSet) func(context.Context, *bench) error {
	length := fs.Duration("t", 10*time.Minute, "fuzz for so `long`")
	every := fs.Duration("every", 5*time.Second, "look so `often`")
	pkg := fs.String("package", miekgDNS, "fuzz this `package`")
	return func(ctx context.Context, b *bench) error { return benchMemory(ctx, b, *pkg, *length, *every) }
}

// A sample is the memory held by all processes of a run at one time.
type sample struct {
	at        time.Duration
	bytes     int64
	processes int
}

// benchMemory adds up the resident memory of foray and of the processes below
// it. Pages that processes share count once for each. A short run comes first,
// so that no compiler runs in the measured one.
func benchMemory(ctx context.Context, b *bench, pkg string, length, every time.Duration) error {
	if runtime.GOOS != "linux" {
		return errors.New("memory is read from /proc, which is there on Linux only")
	}
	t, err := b.table("memory", 1, "package", "seconds", "rss_mib", "processes", "errors")
	if err != nil {
		return err
	}
	if !t.done(pkg) {
		if _, err := b.foray.fuzz(ctx, job{args: []string{"-fuzztime=1x", "-seed=1", pkg}}); err != nil {
			return err
		}
		var samples []sample
		watch := func(pid int) func() { return watchMemory(b, pid, every, &samples) }
		r, err := b.foray.fuzz(ctx, job{args: []string{"-fuzztime=" + length.String(), "-seed=1", pkg}, limit: length + buildTime, watch: watch})
		if err != nil {
			return err
		}
		var rows [][]string
		for _, s := range samples {
			rows = append(rows, []string{decimal(s.at.Seconds(), 0), decimal(float64(s.bytes)/(1<<20), 1), count(s.processes), r.problem()})
		}
		if err := t.put([]string{pkg}, rows...); err != nil {
			return err
		}
	}
	return b.finish(memorySummary, t)
}

// watchMemory takes samples until the returned function is called.
func watchMemory(b *bench, pid int, every time.Duration, samples *[]sample) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	began := time.Now()
	wg.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
			s, err := resident("/proc", pid)
			if err != nil {
				b.logf("memory: %v", err)
				continue
			}
			s.at = time.Since(began)
			*samples = append(*samples, s)
			b.logf("%4.0f s: %.1f MiB in %d processes", s.at.Seconds(), float64(s.bytes)/(1<<20), s.processes)
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

// resident adds up the resident memory of process pid and of all below it, read
// from the proc file system at dir.
func resident(dir string, pid int) (sample, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return sample{}, err
	}
	children := map[int][]int{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		if parent, ok := parentOf(string(data)); ok {
			children[parent] = append(children[parent], id)
		}
	}
	var s sample
	for list := []int{pid}; len(list) > 0; list = list[1:] {
		data, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(list[0]), "status"))
		if err != nil {
			continue
		}
		s.bytes += residentOf(string(data))
		s.processes++
		list = append(list, children[list[0]]...)
	}
	if s.processes == 0 {
		return s, fmt.Errorf("process %d is gone", pid)
	}
	return s, nil
}

// parentOf reads the parent's number from the text of /proc/N/stat. It is the
// second field after the name, which is in parentheses and may hold any
// character.
func parentOf(stat string) (int, bool) {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return 0, false
	}
	fields := strings.Fields(stat[i+1:])
	if len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(fields[1])
	return n, err == nil
}

// residentOf reads VmRSS from the text of /proc/N/status, in bytes. A process that
// has ended and not been waited for has none.
func residentOf(status string) int64 {
	for line := range strings.Lines(status) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// growth returns by how much, in percent, the least-squares line through the
// second half of the samples rises from its start to its end. Single samples say
// little: a collection of garbage more or less is a tenth of the heap.
func growth(seconds, values []float64) float64 {
	if len(seconds) == 0 {
		return 0
	}
	middle := seconds[len(seconds)-1] / 2
	var n, sx, sy, sxx, sxy, first, last float64
	for i, x := range seconds {
		if x < middle {
			continue
		}
		if n == 0 {
			first = x
		}
		y := values[i]
		n, sx, sy, sxx, sxy, last = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y, x
	}
	if n < 2 || n*sxx == sx*sx {
		return 0
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	start := sy/n + slope*(first-sx/n)
	return 100 * slope * (last - first) / start
}

// memorySummary gives the largest sample and the growth of each run.
func memorySummary(records []record) [][]string {
	rows := [][]string{{"package", "most MiB", "growth over the second half", "samples"}}
	for _, g := range groups(records, "package") {
		mib := column(g, "rss_mib")
		rows = append(rows, []string{g[0].get("package"), decimal(slices.Max(mib), 1), decimal(growth(column(g, "seconds"), mib), 1) + "%", count(len(g))})
	}
	return rows
}
