package process

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"foray.test/engine/wire"
)

// A profiler writes CPU profiles of the search, if the environment names a directory for
// them: one file for each time in which it profiles. A process that dies loses the last, so
// the first are short. The zero value profiles nothing.
type profiler struct {
	dir   string
	file  *os.File // of the profile under way
	files int
	began time.Time
	each  time.Duration // how long the profile lasts that is under way
}

// firstProfile is how long the first profile lasts. Each later one lasts twice as long as
// the one before, as ending one takes a tenth of a second.
const firstProfile = 250 * time.Millisecond

// start begins a profile, if one is wanted.
func (p *profiler) start() {
	if p.dir = os.Getenv(wire.EnvProfile); p.dir != "" {
		p.begin(firstProfile)
	}
}

func (p *profiler) begin(each time.Duration) {
	f, err := os.Create(filepath.Join(p.dir, fmt.Sprintf("%d-%d.pprof", os.Getpid(), p.files)))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "foray worker: no profile:", err)
		p.dir = ""
		return
	}
	p.file, p.files, p.began, p.each = f, p.files+1, time.Now(), each
}

// tick ends the profile under way when it has lasted long enough, and begins the next.
func (p *profiler) tick(now time.Time) {
	if p.dir != "" && now.Sub(p.began) >= p.each {
		p.stop()
		p.begin(2 * p.each)
	}
}

// stop writes the profile under way, if there is one.
func (p *profiler) stop() {
	if p.file != nil {
		pprof.StopCPUProfile()
		p.file.Close()
		p.file = nil
	}
}
