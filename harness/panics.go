package harness

import (
	"path"
	"reflect"
	"runtime"
	"strings"

	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/harness/contract"
)

// panicRecord is what is known of the panic that broke a step. It is filled
// while the panicking frames are still on the stack and read, if at all, later:
// most panics are of a kind seen before.
type panicRecord struct {
	set    bool
	goexit bool // the call ended its goroutine instead
	value  any
	pcs    [64]uintptr
	n      int
}

func (p *panicRecord) take(v any) {
	p.set, p.value, p.goexit = true, v, v == nil
	p.n = runtime.Callers(2, p.pcs[:])
}

// thrown reports whether the panic is that of a func literal of foray's own.
func (p *panicRecord) thrown() bool {
	s, ok := p.value.(string)
	return ok && s == engine.Thrown
}

// callFunc is the name of the function that calls adapters: what lies outside of
// it on a stack is foray.
var callFunc = runtime.FuncForPC(reflect.ValueOf((*executor).call).Pointer()).Name()

// probeFuncs begins the names of the functions of the probe. In an analysis build
// it compares, and comparing interfaces may panic.
var probeFuncs = reflect.TypeFor[probe.Entry]().PkgPath() + "."

// adaptersFile begins the base names of generated adapters files.
const adaptersFile = "foray_adapters"

// frames returns the frames between the panic and the adapter, innermost first.
// Of a panic that was recovered and thrown again it returns those of the first.
func (p *panicRecord) frames() []contract.Frame {
	var list []contract.Frame
	it := runtime.CallersFrames(p.pcs[:p.n])
	for more := true; more; {
		var f runtime.Frame
		f, more = it.Next()
		if f.Function == callFunc {
			break
		}
		switch {
		case isPanicEntry(f.Function):
			list = list[:0]
		case len(list) == 0 && isRuntime(f.Function):
		case strings.HasPrefix(path.Base(f.File), adaptersFile), strings.HasPrefix(f.Function, probeFuncs):
		default:
			list = append(list, contract.Frame{Func: f.Function, File: f.File, Line: f.Line})
		}
	}
	return list
}

// isPanicEntry reports the functions of the runtime that a panic goes through:
// gopanic, sigpanic, panicIndex, goPanicSliceB …
func isPanicEntry(name string) bool {
	return strings.HasPrefix(name, "runtime.") && strings.Contains(name, "anic")
}

// isRuntime reports the functions that the compiler calls for user code: map
// assignment, conversions.
func isRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
}
