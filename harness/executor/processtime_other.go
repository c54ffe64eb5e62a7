//go:build !linux

package executor

import "time"

var started = time.Now()

// ProcessTime returns the time since this process began: the processor time is not
// known here.
func ProcessTime() time.Duration { return time.Since(started) }
