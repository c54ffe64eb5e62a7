// Package planted is what tests of worker processes run: a small API, one
// method for each way to leave the process or to spoil it.
package planted

import (
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Box holds numbers.
type Box struct {
	items []int
	mu    sync.Mutex
	node  *Box
}

// New returns an empty box. It is the clock of Later.
func New() *Box {
	if l := late.Load(); l != nil && l.boxes.Add(-1) == 0 {
		close(l.due)
		select {} // until the goroutine of Later ends the process
	}
	return &Box{}
}

// Put adds v.
func (b *Box) Put(v int) { b.items = append(b.items, v) }

// Get returns the first number, zero if there is none.
func (b *Box) Get() int {
	if len(b.items) == 0 {
		return 0
	}
	v := b.items[0]
	b.items = b.items[1:]
	return v
}

// armed reports whether b holds at least two numbers: most of what follows needs
// that, so that there is something to minimize.
func (b *Box) armed() bool { return len(b.items) >= 2 }

// Newer says that this is another version of the package: see Count and Break.
var Newer bool

// Count returns how many numbers b holds; the newer version loses one of them.
func (b *Box) Count() int {
	if Newer && b.armed() {
		return len(b.items) - 1
	}
	return len(b.items)
}

// Break panics, in the newer version.
func (b *Box) Break() {
	if Newer && b.armed() {
		panic("broken")
	}
}

// Crash indexes past the end.
func (b *Box) Crash() int {
	if !b.armed() {
		return 0
	}
	n := len(b.items)
	return b.items[n]
}

// Leave ends the process with status 3.
func (b *Box) Leave() {
	if b.armed() {
		os.Exit(3)
	}
}

// Vanish ends the process as if all were well.
func (b *Box) Vanish() {
	if b.armed() {
		os.Exit(0)
	}
}

// Spin does not return.
func (b *Box) Spin() {
	for b.armed() {
	}
}

// Block waits for itself.
func (b *Box) Block() {
	if b.armed() {
		b.mu.Lock()
		b.mu.Lock()
	}
}

// Mark keeps the lock, if it can have it.
func (b *Box) Mark() {
	if b.armed() {
		b.mu.TryLock()
	}
}

// Use needs the lock for a moment.
func (b *Box) Use() {
	b.mu.Lock()
	defer b.mu.Unlock()
}

var all sync.Mutex

// MarkAll keeps a lock of all boxes, if it can have it.
func (b *Box) MarkAll() {
	if b.armed() {
		all.TryLock()
	}
}

// UseAll needs the lock of all boxes for a moment.
func (b *Box) UseAll() {
	all.Lock()
	defer all.Unlock()
}

// String waits for itself.
func (b *Box) String() string {
	b.Block()
	return "box"
}

// Recurse has no end.
func (b *Box) Recurse() int {
	if !b.armed() {
		return 0
	}
	return b.Recurse() + 1
}

// Race writes a map from several goroutines.
func (b *Box) Race() {
	if !b.armed() {
		return
	}
	m := map[int]int{}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 1_000_000 {
				m[i&15] = g
			}
		})
	}
	wg.Wait()
}

// Unwind ends its goroutine.
func (b *Box) Unwind() {
	if b.armed() {
		runtime.Goexit()
	}
}

// Grab takes 100 GB.
func (b *Box) Grab() int {
	if !b.armed() {
		return 0
	}
	return len(make([]byte, 100<<30))
}

// Grow takes memory without end.
func (b *Box) Grow() {
	for b.armed() {
		b.node = &Box{items: make([]int, 1<<20), node: b.node}
		clear(b.node.items)
	}
}

// Launch panics in a goroutine of its own and waits for it.
func (b *Box) Launch() {
	if !b.armed() {
		return
	}
	go func() { b.items[len(b.items)] = 0 }()
	select {}
}

// late is the panic that Later has planned, if any.
var late atomic.Pointer[latePanic]

type latePanic struct {
	boxes atomic.Int32 // that are still to be made before it
	due   chan struct{}
}

// Later panics in a goroutine of its own, when it has long returned: when 16 more
// boxes are made, or after 5 ms if there are none. A machine that is slow does not
// make it later.
func (b *Box) Later() {
	l := &latePanic{due: make(chan struct{})}
	l.boxes.Store(16)
	if !b.armed() || !late.CompareAndSwap(nil, l) {
		return
	}
	go func() {
		select {
		case <-l.due:
		case <-time.After(5 * time.Millisecond):
		}
		b.items[len(b.items)] = 0
	}()
}

// Babble writes rubbish where it can.
func (b *Box) Babble() {
	fmt.Println("rubbish")
	fmt.Fprintln(os.Stderr, "panic: not really")
	fmt.Fprintln(os.Stderr, "fatal error: neither")
}

// Read reads what the process is given.
func (b *Box) Read() int {
	n, _ := os.Stdin.Read(make([]byte, 16))
	return n
}

// Leak starts goroutines that never end.
func (b *Box) Leak() {
	for range 10 {
		go func() { select {} }()
	}
}

// Shut closes descriptors that are not its own.
func (b *Box) Shut() {
	if b.armed() {
		for fd := 3; fd < 6; fd++ {
			closeDescriptor(fd)
		}
	}
}

// Scribble writes to descriptors that are not its own. A reader may take the first bytes for a
// length.
func (b *Box) Scribble() {
	if b.armed() {
		for fd := 3; fd < 6; fd++ {
			writeDescriptor(fd, []byte("\x00\x00\x01\x00 is no message, and it is longer than a header"))
		}
	}
}

// Spawn starts a process that outlives the one that started it.
func (b *Box) Spawn() {
	if b.armed() {
		_ = exec.Command("sleep", "1000").Start()
		os.Exit(4)
	}
}

// Sometimes ends the process if its number has an odd number of bits set. In that
// order of processes no pattern repeats three times, so that processes which take
// turns do not all differ in the same way.
func (b *Box) Sometimes() {
	if b.armed() && bits.OnesCount(uint(os.Getpid()))%2 == 1 {
		os.Exit(5)
	}
}
