package worker

import (
	"os"

	"foray.test/engine/wire"
)

// sharedMemory returns memory without a file.
func sharedMemory(string) (*os.File, error) { return wire.NewSection() }
