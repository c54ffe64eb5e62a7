package coordinator

import "time"

// A stopwatch runs while a process shows no progress, and tells a hang from a
// machine that has no time for it.
type stopwatch struct {
	pid   int
	since time.Time
	cpu   time.Duration // of the process, at since
}

func newStopwatch(p *process) stopwatch {
	w := stopwatch{pid: p.cmd.Process.Pid}
	w.restart()
	return w
}

func (w *stopwatch) restart() {
	w.since = time.Now()
	w.cpu, _ = cpuNow(w.pid)
}

// Shares of the wall time that a process which waits stays under, and that one
// which runs may get on a machine that is very busy, before it has hung for long
// enough by any measure.
const (
	idleShare    = 50
	starvedShare = 5
)

// hangs reports whether the process has had enough of limit: it ran for about as
// long, or it waits for something. Where no one tells what it ran, the clock says.
func (w *stopwatch) hangs(limit time.Duration) bool {
	wall := time.Since(w.since)
	if wall < limit {
		return false
	}
	cpu, ok := cpuNow(w.pid)
	if !ok || wall > starvedShare*limit {
		return true
	}
	cpu -= w.cpu
	return cpu > limit*3/4 || cpu < wall/idleShare
}
