package worker

import (
	"bytes"
	"strings"
	"sync"
)

// stderrBytes bounds what is kept of a worker's standard error, at each end.
const stderrBytes = 128 << 10

// tail keeps the first and the last bytes written to it: a fatal error stands at
// the head of what the runtime prints, but behind whatever the code under test
// printed before.
type tail struct {
	mu   sync.Mutex
	max  int
	last []byte
}

func newTail(maxBytes int) *tail { return &tail{max: maxBytes} }

// fatalMarks begin what the runtime prints when it ends a process.
var fatalMarks = [][]byte{[]byte("fatal error: "), []byte("panic: "), []byte("SIGQUIT: "), []byte("runtime: "), []byte("SIGSEGV: "), []byte("unexpected fault address")}

// Write implements io.Writer. It keeps everything from the last mark on, as far
// as it fits, and before any mark the last bytes.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := t.max - len(t.last); t.marked() {
		b = b[:min(len(b), max(room, 0))]
	}
	t.last = append(t.last, b...)
	if !t.marked() && len(t.last) > t.max {
		t.last = append(t.last[:0], t.last[len(t.last)-t.max/2:]...)
	}
	return n, nil
}

func (t *tail) marked() bool {
	for _, m := range fatalMarks {
		if i := bytes.Index(t.last, m); i >= 0 {
			return true
		}
	}
	return false
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

func (t *tail) lastLine() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return lines[len(lines)-1]
}
