//go:build !linux

package process

import "time"

var started = time.Now()

// processTime returns the time since this process began: the processor time is not
// known here.
func processTime() time.Duration { return time.Since(started) }
