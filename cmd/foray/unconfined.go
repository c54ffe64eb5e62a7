package main

import (
	"runtime"
	"sync"

	"foray.test/engine/confine"
)

var unconfinedOnce sync.Once

// warnUnconfined warns, once, if nothing confines calls on this system.
func (c *common) warnUnconfined() {
	if msg := unconfined(runtime.GOOS, confine.Supported()); msg != "" && !c.unconfined {
		unconfinedOnce.Do(func() { c.out.Warn(msg, "") })
	}
}

// unconfined returns the warning for a system. A Linux that is too old for a sandbox gets none.
func unconfined(system string, supported bool) string {
	if supported || system == "linux" {
		return ""
	}
	msg := "no sandbox on " + system + ": calls can write and remove any file and open connections"
	if system != "windows" {
		msg += ", and their memory has no bound"
	}
	return msg + "; fuzz unknown code in a container"
}
