package wire

import "os"

// Inherited are the files that a worker is started with, beside the standard ones. The
// processes that it starts do not inherit them.
type Inherited struct {
	Commands *os.File // messages to the worker
	Reports  *os.File // messages from it
	Shared   *os.File // to be mapped by Map
}
