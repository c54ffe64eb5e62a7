package worker

import "time"

// A worker whose steps stand still is taken for hanging after HangAfter, or after
// IdleAfter if it uses no processor: a sequence takes microseconds. On a machine that
// is busy with other things it may take Starved times as long. Whether it hung or was
// only slow is decided later, with more patience.
const (
	HangAfter = 600 * time.Millisecond
	IdleAfter = 150 * time.Millisecond
	Starved   = 5
)

// A Stopwatch runs while a process shows no progress, and tells a hang from a
// machine that has no time for it.
type Stopwatch struct {
	pid   int
	since time.Time
	cpu   time.Duration // of the process, at since
}

// Restart says that the process got on.
func (w *Stopwatch) Restart() {
	w.since = time.Now()
	w.cpu, _ = cpuNow(w.pid)
}

// idleShare is the share of the time that a process which waits stays under: the
// runtime's own threads look around now and then.
const idleShare = 50

// Hangs reports whether the process ran for about as long as limit, or waits for
// something for as long as idleLimit, or stands still for longest: on a busy
// machine it may get little of the time. Where no one tells, the clock says.
func (w *Stopwatch) Hangs(limit, idleLimit, longest time.Duration) (over, idle bool) {
	wall := time.Since(w.since)
	if wall < min(limit, idleLimit) {
		return false, false
	}
	cpu, ok := cpuNow(w.pid)
	if !ok {
		return wall >= limit, false
	}
	cpu -= w.cpu
	if wall >= idleLimit && cpu < wall/idleShare && !runnable(w.pid) {
		return true, true
	}
	return wall >= limit && cpu > limit*3/4 || wall >= longest, false
}
