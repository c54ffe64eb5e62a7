package worker

import (
	"bytes"
	"strings"
	"sync"
)

// stderrBytes bounds the text that is kept of a worker's standard error.
const stderrBytes = 128 << 10

// A tail keeps the text of a fatal error from its beginning, and before that the last
// bytes that the code under test printed.
type tail struct {
	mu   sync.Mutex
	max  int
	last []byte
}

func newTail(maxBytes int) *tail { return &tail{max: maxBytes} }

// fatalMarks begin the text that the runtime prints when it ends a process.
var fatalMarks = [][]byte{[]byte("fatal error: "), []byte("panic: "), []byte("SIGQUIT: "), []byte("runtime: "), []byte("SIGSEGV: "), []byte("unexpected fault address")}

// Write implements io.Writer. After a mark it keeps as much as fits, before any mark the
// last bytes.
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
