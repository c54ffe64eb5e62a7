//go:build !linux

package process

import "time"

var started = time.Now()

// processTime returns the time since this process began: nobody tells what of it was
// the processor's.
func processTime() time.Duration { return time.Since(started) }
