package PACKAGE

import (
	"encoding/json"
	"os"
	"syscall"
	"testing"

	probe "PROBE"
	"foray.test/harness/exhaustive"
)

// found is what measure writes.
type found struct {
	Sides      int     // that were taken
	Size       int     // of the structures that took the last of them
	At         float64 // seconds of processor time until then
	Seconds    float64
	Candidates int64
	Structures int64
	Calls      int64
}

// measure calls methods on all structures of up to most parts, smaller ones first. Each call has a
// structure of its own.
func measure[S, R any](t *testing.T, most int, structures func(n int) *exhaustive.Cases[S], build func(S) R, methods func(n int) []func(R)) {
	var f found
	begun := processorTime()
	for n := range most + 1 {
		calls := methods(n)
		stats, err := structures(n).Each(func(_ *exhaustive.C, s S) error {
			f.Structures++
			for _, call := range calls {
				call(build(s))
				f.Calls++
			}
			if sides := taken(); sides > f.Sides {
				f.Sides, f.Size, f.At = sides, n, processorTime()-begun
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		f.Candidates += stats.Runs
	}
	f.Seconds = processorTime() - begun
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("FORAY_BENCH_HITS"), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func taken() (n int) {
	for _, hit := range probe.Hits {
		n += int(hit)
	}
	return n
}

func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// all returns a call with each of the numbers from lo to hi.
func all[R any](lo, hi int, call func(r R, x int)) (list []func(R)) {
	for x := lo; x <= hi; x++ {
		list = append(list, func(r R) { call(r, x) })
	}
	return list
}
