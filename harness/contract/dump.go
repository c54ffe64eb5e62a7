package contract

import (
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// goroutine is one goroutine of a dump that the Go runtime wrote.
type goroutine struct {
	id     uint64
	state  string  // "running", "chan receive", "sync.Mutex.Lock" …
	leaked bool    // nobody can end its wait
	frames []Frame // innermost first
	maker  string  // the function that started it
}

// parseDump returns the goroutines in the runtime's text. What it does not
// understand it skips.
func parseDump(text string) []goroutine {
	var gs []goroutine
	open := false
	for _, l := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(l, "goroutine ") && strings.HasSuffix(l, "]:"):
			i := strings.LastIndexByte(l, '[')
			if i < 0 {
				continue
			}
			// "[chan receive, 2 minutes, locked to thread]"
			state, _, _ := strings.Cut(l[i+1:len(l)-2], ",")
			state, leaked := strings.CutSuffix(strings.TrimSuffix(state, " (durable)"), " (leaked)")
			gs, open = append(gs, goroutine{id: numberOf(l), state: state, leaked: leaked}), true
		case open && strings.HasPrefix(l, "created by "):
			gs[len(gs)-1].maker, _, _ = strings.Cut(strings.TrimPrefix(l, "created by "), " in goroutine ")
			open = false
		case l == "" || strings.HasPrefix(l, "created by ") || strings.HasPrefix(l, "runtime stack:"):
			open = false
		case !open:
		case strings.HasPrefix(l, "\t"):
			addPlace(&gs[len(gs)-1], l)
		case strings.HasSuffix(l, ")"):
			g := &gs[len(gs)-1]
			g.frames = append(g.frames, Frame{Func: withoutArgs(l)})
		}
	}
	return gs
}

// numberOf returns the number in "goroutine 7 [running]:", 0 if there is none.
func numberOf(l string) uint64 {
	number, _, _ := strings.Cut(strings.TrimPrefix(l, "goroutine "), " ")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// addPlace reads "\t/path/file.go:12 +0x1b" into the last frame of g.
func addPlace(g *goroutine, l string) {
	if len(g.frames) == 0 {
		return
	}
	l, _, _ = strings.Cut(l[1:], " ")
	i := strings.LastIndexByte(l, ':')
	if i < 0 {
		return
	}
	f := &g.frames[len(g.frames)-1]
	f.File = l[:i]
	f.Line, _ = strconv.Atoi(l[i+1:])
}

// withoutArgs cuts the last bracketed part off: "p.(*T).M({0x1, 0x2}, ...)" → "p.(*T).M".
func withoutArgs(l string) string {
	depth := 0
	for i := len(l) - 1; i > 0; i-- {
		switch l[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return l[:i]
			}
		}
	}
	return l
}

// stepGoroutine picks the goroutine that runs the step: the one with the given
// number, or the one that the adapters are in, else one that the package is in,
// rather one that runs.
func stepGoroutine(t *seq.Table, gs []goroutine, id uint64) goroutine {
	var best goroutine
	score := -1
	for _, g := range gs {
		if id != 0 && g.id == id {
			return g
		}
		n := 0
		for _, f := range g.frames {
			switch whose(t, f) {
			case ours:
				n |= 4
			case within:
				n |= 2
			}
		}
		if g.state == "running" || g.state == "runnable" {
			n |= 1
		}
		if n > score {
			best, score = g, n
		}
	}
	return best
}

// untilAdapter cuts frames before the first of ours that calls into the package. A
// loop of one instruction that was inlined into an adapter bears the adapter's name.
func untilAdapter(t *seq.Table, frames []Frame) []Frame {
	entered := false
	for i, f := range frames {
		switch whose(t, f) {
		case within, elsewhere:
			entered = true
		case ours:
			if isAdapter(t, f) && !entered {
				return frames[:i]
			}
			if entered {
				// A func literal of ours is called by the package: look further.
				if rest := packageFrames(t, frames[i:]); len(rest) == 0 {
					return frames[:i]
				}
			}
		}
	}
	return frames
}

// isAdapter reports whether f is the function that makes a call of a step.
func isAdapter(t *seq.Table, f Frame) bool {
	n, ok := strings.CutPrefix(f.Func, symbolPath(t.Package)+"_test.forayOp")
	return ok && strings.Trim(n, "0123456789") == ""
}

// fatalText returns the line after "panic: " or "fatal error: " in what the
// runtime wrote, and which of the two it was.
func fatalText(text string) (line string, isPanic bool) {
	for _, l := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(l, "panic: "); ok {
			if i := strings.Index(rest, " [recovered"); i >= 0 {
				rest = rest[:i]
			}
			return rest, true
		}
		if rest, ok := strings.CutPrefix(l, "fatal error: "); ok {
			return rest, false
		}
	}
	return "", false
}

// printedPanic is a panic value that the runtime has printed. Plain errors of
// the runtime bear no prefix: the text tells them.
type printedPanic string

func (p printedPanic) String() string { return string(p) }

func (p printedPanic) isRuntime() bool {
	s := string(p)
	for _, prefix := range []string{"runtime error: ", "interface conversion: ", "assignment to entry in nil map", "send on closed channel", "close of ", "makechan: ", "range function "} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return strings.HasPrefix(s, "value method ") && strings.Contains(s, "called using nil *")
}
