//go:build unix && !linux

package worker

import "os"

const memfdCreate = 0

// sharedMemory returns a file in dir to map.
func sharedMemory(dir string) (*os.File, error) { return reservedFile(dir) }
