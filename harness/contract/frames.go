package contract

import (
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// symbolPath returns import path p as it stands in symbol names: dots of the
// last element are escaped.
func symbolPath(p string) string {
	i := strings.LastIndexByte(p, '/') + 1
	return p[:i] + strings.ReplaceAll(p[i:], ".", "%2e")
}

// place says whose code a frame is.
type place uint8

const (
	elsewhere place = iota // another package
	within                 // the package under test
	ours                   // the adapters, and what we hand in: func literals, declared types
	runtimes               // the Go runtime
)

// What the names of the functions contain that call a fuzz function. Another
// goroutine has the rest of their package on its stack, and waits.
const (
	targetCall    = "/harness/target.(*runner).call"
	targetInvoker = "/harness/target.invoker."
)

// whose returns whose code f is. A closure of a function that was inlined into
// an adapter bears the adapter's package in its name, but its own file.
func whose(t *seq.Table, f Frame) place {
	p := symbolPath(t.Package)
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

// bare returns a function's name without package, type arguments, the numbering
// of closures and the function that it was inlined into:
// "example.org/p.(*T[...]).M.func1" → "(*T).M", "p.F.func2.G.func1" → "G".
func bare(fn string) string {
	fn = strings.ReplaceAll(fn, "[...]", "")
	fn = fn[strings.LastIndexByte(fn, '/')+1:]
	pkg, fn, _ := strings.Cut(fn, ".")
	if strings.HasSuffix(pkg, "_test") {
		if i := strings.IndexByte(fn, '.'); i > 0 && fn[0] != '(' {
			fn = strings.TrimLeft(fn[i+1:], ".")
		}
	}
	for i := strings.LastIndex(fn, "func"); i >= 0; i = strings.LastIndex(fn[:i], "func") {
		rest := strings.TrimLeft(fn[i+len("func"):], "0123456789")
		if (i == 0 || fn[i-1] == '.') && len(rest) > 1 && rest[0] == '.' && !digit(rest[1]) && !numbered(rest[1:]) {
			fn = rest[1:]
			break
		}
	}
	fn = strings.TrimSuffix(fn, "-fm")
	for i := strings.LastIndexAny(fn, ".-"); i >= 0 && numbered(fn[i+1:]); i = strings.LastIndexAny(fn, ".-") {
		fn = fn[:i]
	}
	return callee(fn)
}

// callee returns the function that was inlined, in a name of the form outer.inner
// as far as it tells: "(*T).M.(*U).N" → "(*U).N", "(*T).M.F" → "F", "F.F" → "F".
// "F.G" may as well be a type and its method, and stays.
func callee(fn string) string {
	if i := strings.LastIndex(fn, ".("); i > 0 {
		return fn[i+1:]
	}
	parts := strings.Split(fn, ".")
	if n := len(parts); fn != "" && fn[0] == '(' && n > 2 || n == 2 && parts[0] == parts[1] {
		return parts[n-1]
	}
	return fn
}

// numbered reports whether s is what the compiler names a closure: "func1",
// "range2", "gowrap1", "3".
func numbered(s string) bool {
	switch tail := strings.TrimRight(s, "0123456789"); tail {
	case "", "func", "range", "gowrap", "deferwrap":
		return tail != s
	}
	return false
}

// plain returns a member or bare function name without pointers, so that a
// method and its wrapper for the other receiver form are one: "T.M".
func plain(name string) string { return strings.NewReplacer("(", "", ")", "", "*", "").Replace(name) }

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
