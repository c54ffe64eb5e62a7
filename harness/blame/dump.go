package blame

import (
	"strings"

	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// stepGoroutine picks the goroutine that runs the step. It is the one with the given
// number, else one inside the adapters, else one inside the package. Among equals a
// running one wins.
func stepGoroutine(t *seq.Table, gs []godump.Goroutine, id uint64) godump.Goroutine {
	var best godump.Goroutine
	score := -1
	for _, g := range gs {
		if id != 0 && g.ID == id {
			return g
		}
		n := 0
		for _, f := range g.Frames() {
			switch whose(t, f) {
			case ours:
				n |= 4
			case within:
				n |= 2
			}
		}
		if g.Runs() {
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
	n, ok := strings.CutPrefix(f.Func, godump.EscapePath(t.Package)+"_test.forayOp")
	return ok && strings.Trim(n, "0123456789") == ""
}

// fatalText returns the line after "panic: " or "fatal error: " in the output of the
// runtime, and whether it is that of a panic.
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

// printedPanic is a panic value that the runtime has printed. Plain errors of the
// runtime have no prefix: only their text distinguishes them.
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
