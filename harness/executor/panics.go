package executor

import (
	"cmp"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"foray.test/coverage/probe"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// panicRecord holds the facts about the panic that broke a step. It is filled
// while the panicking frames are still on the stack and read, if at all, later:
// most panics are of a kind seen before.
type panicRecord struct {
	set    bool
	goexit bool // the call ended its goroutine instead
	value  any
	pcs    [64]uintptr
	n      int
	step   uintptr  // where StepFunc calls adapters, once known
	until  string   // prefix of the names of the functions that made the call; empty: StepFunc
	failed *Failure // of a fuzz function that did not panic
}

func (p *panicRecord) take(v any) {
	p.set, p.value, p.goexit = true, v, v == nil
	p.until, p.failed = "", nil
	if f, ok := v.(*Failure); ok {
		p.fail(f)
		return
	}
	p.n = p.callers()
}

// usualDepth is how many frames most panics have up to the adapter: to walk all of foray's
// outside of it took most of a recovery.
const usualDepth = 16

// callers notes the frames on the stack, the deferred function's first, and returns their
// number. It leaves out those outside of StepFunc if they are not among the first.
func (p *panicRecord) callers() int {
	n := runtime.Callers(3, p.pcs[:usualDepth])
	if i := slices.Index(p.pcs[:n], p.step); i >= 0 {
		return i + 1
	}
	if n < usualDepth {
		return n
	}
	return runtime.Callers(3, p.pcs[:])
}

// fail takes in the failure of a fuzz function.
func (p *panicRecord) fail(f *Failure) {
	if f.Panic == nil {
		p.failed, p.n = f, 0
		return
	}
	p.value, p.until = f.Panic, f.Until
	p.n = copy(p.pcs[:], f.PCs)
}

// thrown reports whether the panic is that of a func literal of foray's own.
func (p *panicRecord) thrown() bool {
	s, ok := p.value.(string)
	return ok && s == seq.Thrown
}

// StepFunc is the name of the function that calls adapters, as stacks have it. The frames
// outside of it are foray's.
var StepFunc = runtime.FuncForPC(reflect.ValueOf((*Executor).call).Pointer()).Name()

// probeFuncs begins the names of the functions of the probe. In an analysis build
// it compares, and comparing interfaces may panic.
var probeFuncs = reflect.TypeFor[probe.Entry]().PkgPath() + "."

// adaptersFile begins the base names of generated adapters files.
const adaptersFile = "foray_adapters"

// frames returns the frames between the panic and the adapter, innermost first.
// Of a panic that was recovered and thrown again it returns those of the first.
func (p *panicRecord) frames() []blame.Frame {
	var list []blame.Frame
	until := cmp.Or(p.until, StepFunc)
	it := runtime.CallersFrames(p.pcs[:p.n])
	entered := false // the frames before are the deferred functions that recovered
	for more := true; more; {
		var f runtime.Frame
		f, more = it.Next()
		if entered && strings.HasPrefix(f.Function, until) {
			if f.Function == StepFunc {
				p.step = f.PC + 1 // the place to return to
			}
			break
		}
		switch {
		case isPanicEntry(f.Function):
			entered, list = true, list[:0]
		case len(list) == 0 && isRuntime(f.Function):
		case strings.HasPrefix(path.Base(f.File), adaptersFile) && isAdapter(f.Function), strings.HasPrefix(f.Function, probeFuncs):
		default:
			list = append(list, blame.Frame{Func: f.Function, File: f.File, Line: f.Line})
		}
	}
	for len(list) > 0 && calledBy(list[len(list)-1].Func) {
		list = list[:len(list)-1]
	}
	return list
}

// calledBy reports the functions by which a fuzz function or an operation is called
// where no adapter was generated for it.
func calledBy(name string) bool {
	return strings.HasPrefix(name, "reflect.Value.") || strings.HasPrefix(name, reflectedFunc)
}

var reflectedFunc = runtime.FuncForPC(reflect.ValueOf(Reflected).Pointer()).Name()

// isAdapter reports whether a function of an adapters file is an adapter itself. The
// others there are the func literals and declared types that adapters hand out: a
// panic in them is not the package's fault.
func isAdapter(name string) bool {
	return strings.HasPrefix(name[strings.LastIndexByte(name, '.')+1:], seq.AdapterName)
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
