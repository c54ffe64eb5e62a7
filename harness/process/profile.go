package process

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"

	"foray.test/engine/wire"
)

// startProfile begins a CPU profile, if the environment names a directory for it. The
// profile of a process that does not leave by itself is lost.
func startProfile() {
	dir := os.Getenv(wire.EnvProfile)
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.pprof", os.Getpid())))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "foray worker: no profile:", err)
	}
}

// stopProfile writes the profile that was begun, if one was.
func stopProfile() { pprof.StopCPUProfile() }
