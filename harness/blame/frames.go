package blame

import (
	"strconv"
	"strings"

	"foray.test/engine/godump"
	"foray.test/engine/seq"
)

// place is the owner of a frame's code.
type place uint8

const (
	elsewhere place = iota // another package
	within                 // the package under test
	ours                   // the adapters and values made by foray: func literals, declared types
	runtimes               // the Go runtime
)

// Parts of the names of the functions that call a fuzz function. Another goroutine
// has the rest of their package on its stack, and waits.
const (
	targetCall    = "/harness/target.(*runner).call"
	targetInvoker = "/harness/target.invoker."
)

// whose returns the owner of the code of f. A closure of a function that was inlined
// into an adapter has the adapter's package in its name, but its own file.
func whose(t *seq.Table, f Frame) place {
	p := godump.EscapePath(t.Package)
	switch {
	case strings.HasPrefix(f.Func, p+"_test."):
		file := f.File[strings.LastIndexByte(f.File, '/')+1:]
		for i := range t.Ops {
			if file != "" && t.Ops[i].File == file {
				return within
			}
		}
		return ours
	case strings.HasPrefix(f.Func, p+"."), t.Name == "main" && strings.HasPrefix(f.Func, "main."):
		return within
	case strings.Contains(f.Func, targetCall), strings.Contains(f.Func, targetInvoker):
		return ours
	case strings.HasPrefix(f.Func, "runtime."), strings.HasPrefix(f.Func, "internal/runtime/"), strings.HasPrefix(f.Func, "panic("), f.Func == "panic":
		return runtimes
	}
	return elsewhere
}

// packageFrames returns the frames of the package under test, innermost first.
func packageFrames(t *seq.Table, frames []Frame) []Frame {
	var in []Frame
	for _, f := range frames {
		if whose(t, f) == within {
			in = append(in, f)
		}
	}
	return in
}

// thrower returns the innermost frame that is not the runtime's.
func thrower(t *seq.Table, frames []Frame) (Frame, bool) {
	for _, f := range frames {
		if whose(t, f) != runtimes {
			return f, true
		}
	}
	return Frame{}, false
}

// stack returns frames as text, a line each, without those of the runtime.
func stack(t *seq.Table, frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		if whose(t, f) == runtimes {
			continue
		}
		b.WriteString(f.Func)
		if f.File != "" {
			b.WriteString("\n\t" + f.File + ":" + strconv.Itoa(f.Line))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
