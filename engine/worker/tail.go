package worker

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// stderrBytes bounds the text that is kept of a worker's standard error.
const stderrBytes = 128 << 10

// A tail keeps the text of a fatal error, its beginning and its end, and before that the
// last bytes that the code under test printed.
type tail struct {
	mu     sync.Mutex
	max    int
	first  []byte // up to max, once a mark has been seen
	last   []byte // what follows, or all
	marked bool
}

func newTail(maxBytes int) *tail { return &tail{max: maxBytes} }

// fatalMarks begin the text that the runtime prints when it ends a process.
var fatalMarks = [][]byte{[]byte("fatal error: "), []byte("panic: "), []byte("SIGQUIT: "), []byte("runtime: "), []byte("SIGSEGV: "), []byte("unexpected fault address")}

// longestMark bounds the bytes of a mark that may be in the write before.
const longestMark = 32

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if !t.marked {
		from := max(0, len(t.last)-longestMark)
		t.last = append(t.last, b...)
		if t.marked = hasMark(t.last[from:]); !t.marked {
			t.cut(t.max)
			return n, nil
		}
		b, t.first, t.last = t.last, nil, nil
	}
	if room := t.max - len(t.first); room > 0 {
		room = min(room, len(b))
		t.first, b = append(t.first, b[:room]...), b[room:]
	}
	t.last = append(t.last, b...)
	t.cut(t.max)
	return n, nil
}

// cut keeps the last half of the last bytes once there are more than most.
func (t *tail) cut(most int) {
	if len(t.last) > most {
		t.last = append(t.last[:0], t.last[len(t.last)-most/2:]...)
	}
}

// full reports whether the beginning of the text of a fatal error is as long as is kept.
func (t *tail) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marked && len(t.first) == t.max
}

func hasMark(text []byte) bool {
	return slices.ContainsFunc(fatalMarks, func(mark []byte) bool { return bytes.Contains(text, mark) })
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.first) + string(t.last)
}

func (t *tail) lastLine() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return lines[len(lines)-1]
}
