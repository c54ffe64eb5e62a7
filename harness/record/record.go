// Package record writes down the calls that the tests of a package make on it. It is linked
// into the test binary of the package, whose source coverage/instrument has given probes:
//
//	func (q *Queue) Put(x string) (err error) {
//		if foray_call := foray_record.Enter(3); foray_call != nil {
//			foray_call.Take(q, x)
//			defer func() { foray_call.Leave(err) }()
//		}
//
// A call is recorded if its caller is no code of the package itself, other than its tests, and
// if no other recorded call is at work in the goroutine. So the calls of the tests are
// recorded, and those that other packages make for them, but not the package's calls of
// itself.
//
// The record is a file that grows with every call, so that it survives the end of the process.
// Package cmd/internal/usage reads it; log.go describes its form. Objects are named by
// identity: the recorder keeps what it has seen alive, within bounds.
package record

import (
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// EnvFile is the environment variable that names the file of the record. Without it nothing
// is recorded.
const EnvFile = "FORAY_RECORD"

// Bounds on a record.
const (
	maxFile   = 24 << 20  // bytes in all
	maxLooks  = 1000      // calls of one function that are looked at in each lookTime
	maxAtSite = 2000      // calls from one place
	maxCalls  = 60_000    // in all
	maxPinned = 40_000    // objects that are kept alive; then their identities are forgotten
	maxHeap   = 512 << 20 // bytes, likewise
)

var (
	on    atomic.Bool // calls are recorded
	mu    sync.Mutex  // guards what follows
	out   *log
	busy  = map[uint64]bool{} // goroutines in a recorded call
	calls uint64
	sites sync.Map      // a *site by the program counter of a caller
	found atomic.Uint64 // sites
)

// lookTime is how often a function gets new looks. A look takes a microsecond, so tests that
// call a function all the time become a fifth slower.
const lookTime = 5 * time.Millisecond

// looks are, by function, the calls that may still be looked at, since a time.
var looks [1 << 12]struct {
	left  atomic.Int32
	since atomic.Int64
}

// look reports whether a call of a function may be looked at.
func look(function int) bool {
	l := &looks[function%len(looks)]
	n := l.left.Add(-1)
	if n >= 0 {
		return true
	}
	if n%64 != -1 {
		return false
	}
	now := time.Now().UnixNano()
	if now-l.since.Load() < int64(lookTime) {
		return false
	}
	l.since.Store(now)
	l.left.Store(maxLooks)
	return true
}

// A site is a place that calls a function.
type site struct {
	number  uint64
	outside bool // it is not in the package under test, or in its tests
	calls   atomic.Uint32
}

func init() {
	name := os.Getenv(EnvFile)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return
	}
	limit()
	os.Unsetenv(EnvFile) // programs that tests start do not record
	out = newLog(f)
	on.Store(true)
}

// variables are the exported variables of the package that no event has named yet.
var variables []variable

type variable struct {
	name    string
	pointer any
}

// Variable tells of an exported variable of the package, so that its value is known again.
func Variable(name string, pointer any) {
	if on.Load() {
		mu.Lock()
		defer mu.Unlock()
		variables = append(variables, variable{name, pointer})
	}
}

// A Call is one that is recorded.
type Call struct {
	function  int
	number    uint64
	site      uint64
	goroutine uint64
}

// Enter is called at the entry of a function. It returns nil if the call is not to be recorded.
func Enter(function int) *Call {
	if !on.Load() || !look(function) {
		return nil
	}
	var pcs [2]uintptr
	if runtime.Callers(2, pcs[:]) < 2 {
		return nil
	}
	s := siteOf(pcs)
	if !s.outside || s.calls.Add(1) > maxAtSite {
		return nil
	}
	id := goroutine()
	mu.Lock()
	defer mu.Unlock()
	if busy[id] || calls >= maxCalls {
		return nil
	}
	busy[id] = true
	calls++
	return &Call{function: function, number: calls, site: s.number, goroutine: id}
}

// siteOf returns the site of the call of a function: pcs are in that function and in its caller.
func siteOf(pcs [2]uintptr) *site {
	if s, ok := sites.Load(pcs[1]); ok {
		return s.(*site)
	}
	frames := runtime.CallersFrames(pcs[:])
	callee, _ := frames.Next()
	caller, _ := frames.Next()
	outside := packageOf(caller.Function) != packageOf(callee.Function) || strings.HasSuffix(caller.File, "_test.go")
	s, _ := sites.LoadOrStore(pcs[1], &site{number: found.Add(1), outside: outside})
	return s.(*site)
}

// packageOf returns the path in the name of a function: "a/b" of "a/b.(*T).M".
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// goroutine returns the number of the goroutine that calls it.
func goroutine() uint64 {
	var buf [64]byte
	text := string(buf[:runtime.Stack(buf[:], false)])
	text = strings.TrimPrefix(text, "goroutine ")
	text, _, _ = strings.Cut(text, " ")
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// Take records the arguments of a call, the receiver first.
func (c *Call) Take(args ...any) { c.write(Entered, args) }

// Leave records the results of a call that returns. It is to be called by a deferred function,
// which also runs when the call panics.
func (c *Call) Leave(results ...any) {
	kind := Returned
	if unwinding() {
		kind, results = Panicked, nil
	}
	c.write(kind, results)
	mu.Lock()
	delete(busy, c.goroutine)
	mu.Unlock()
}

// unwinding reports whether the deferred function that called the caller of unwinding runs
// because of a panic, or as its goroutine ends.
func unwinding() bool {
	var pcs [2]uintptr
	n := runtime.Callers(4, pcs[:1])
	frame, _ := runtime.CallersFrames(pcs[:n]).Next()
	return frame.Function == "runtime.gopanic" || frame.Function == "runtime.Goexit"
}

// write writes an event. Code under test may have made values that cannot be looked at, so
// that a panic means only that there is no event.
func (c *Call) write(kind byte, values []any) {
	mu.Lock()
	defer mu.Unlock()
	if !on.Load() {
		return
	}
	defer func() {
		if recover() != nil {
			out.discard()
		}
	}()
	for len(variables) > 0 { // the package has been initialized
		v := variables[0]
		variables = variables[1:]
		out.event(Named, &Call{}, []any{v.name, reflect.ValueOf(v.pointer).Elem().Interface()})
	}
	if !out.event(kind, c, values) {
		on.Store(false)
	}
}
