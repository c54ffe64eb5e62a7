// Package shared has types that goroutines may share, and others.
package shared

import (
	"sync"
	"sync/atomic"
)

// A Said is safe for concurrent use by multiple goroutines.
type Said struct{ n int }

// Said1 is goroutine-safe.
type Said1 struct{ n int }

// A Locked has a lock.
type Locked struct{ mu sync.RWMutex }

// A Deep has one in a part.
type Deep struct{ part struct{ n atomic.Int64 } }

// A Part has one in a part with a name.
type Part struct{ locked Locked }

// A Not has a lock. It is not safe for concurrent use.
type Not struct{ mu sync.Mutex }

// Values of Not2 aren't safe for concurrent use.
type Not2 struct{ mu sync.Mutex }

// A Plain has none.
type Plain struct{ n int }

// Make makes them.
func Make() (*Said, *Said1, *Locked, *Deep, *Part, *Not, *Not2, *Plain) {
	return nil, nil, nil, nil, nil, nil, nil, nil
}

// Set sets. It is not safe for concurrent use.
func (l *Locked) Set() {}

// Get gets.
func (l *Locked) Get() {}
