// Package target lets a worker call the function of a FuzzXxx(f *testing.F).
//
// A worker with a target is a test binary that runs as a fuzz worker of its own,
//
//	pkg.test -test.fuzzworker -test.fuzz='^FuzzXxx$' -test.fuzzcachedir=dir
//
// so TestMain and FuzzXxx run as they do for go test, up to the call of f.Fuzz.
// Package testing then asks testing/internal/testdeps for inputs: the worker
// links a copy of that package (see harness/build) that calls this package
// instead. [Wrap] replaces the function given to f.Fuzz, [Serve] runs the
// worker's loop.
//
// A call within testing's frame takes some 5 µs: a T, a goroutine, cleanup. So
// one frame serves many calls, until a call leaves a trace in its T: a message,
// a failure, a cleanup, a temporary directory, a subtest. Then testing ends the
// frame, as it would after any call, and the next call gets a new one.
package target

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"foray.test/corpus/fuzzfile"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
	"foray.test/harness/process"
)

// current is the target of this process: testing calls f.Fuzz once.
var current *runner

// A runner runs the calls that the worker's loop asks for. The loop is a
// coroutine of the goroutine that holds the frame, so a call costs two
// switches. t.FailNow ends that goroutine by a Goexit, which does not end the
// loop.
type runner struct {
	types  []reflect.Type
	invoke func(t *testing.T, args []any)

	next func() (struct{}, bool) // runs the loop up to the next call
	args []any                   // … which takes these
	done bool                    // the loop has ended
	res  result                  // of the last call
	rank int8                    // … of a go-fuzz function: the rank of its input
	t    *testing.T              // of the frame
}

// result is how a call ended.
type result struct {
	failure *executor.Failure
	skipped bool
}

// Wrap returns a function of the type of ff for f.Fuzz to run in place of ff.
// It runs calls of ff as long as its T serves. If f.Fuzz would refuse ff, Wrap
// returns ff itself.
func Wrap(ff any) any {
	fn := reflect.ValueOf(ff)
	if fn.Kind() != reflect.Func || fn.IsNil() || fn.Type().IsVariadic() || fn.Type().NumIn() < 2 || fn.Type().In(0) != reflect.TypeFor[*testing.T]() || fn.Type().NumOut() > 0 {
		return ff
	}
	r := &runner{invoke: invoker(ff)}
	for i := 1; i < fn.Type().NumIn(); i++ {
		r.types = append(r.types, fn.Type().In(i))
	}
	current = r
	return reflect.MakeFunc(fn.Type(), func(args []reflect.Value) []reflect.Value {
		r.frame(args[0].Interface().(*testing.T))
		return nil
	}).Interface()
}

// A Description is a target's answer to a request for its arguments and seeds.
type Description struct {
	Types []string // of the arguments, as fuzzfile names them
	Seeds [][]byte // the inputs of f.Add, as the files that would hold them
}

// Describe writes a [Description] to the file that the environment names. seeds
// are the inputs of f.Add; one without values is a file's.
func Describe(seeds [][]any, types []reflect.Type) error {
	var d Description
	for _, t := range types {
		d.Types = append(d.Types, typeName(t))
	}
	for _, args := range seeds {
		if args == nil {
			continue
		}
		values := make([]fuzzfile.Value, len(args))
		for i, a := range args {
			values[i] = value(reflect.ValueOf(a))
		}
		d.Seeds = append(d.Seeds, fuzzfile.Encode(values))
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv(wire.EnvDescribe), data, 0o666)
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "[]byte"
	}
	return t.Kind().String()
}

func value(v reflect.Value) fuzzfile.Value {
	f := fuzzfile.Value{Type: typeName(v.Type())}
	switch {
	case v.Kind() == reflect.Slice:
		f.Value = string(v.Bytes())
	case v.Kind() == reflect.String:
		f.Value = v.String()
	case v.Kind() == reflect.Bool:
		f.Value = v.Bool()
	case v.CanInt():
		f.Value = v.Int()
	case v.CanUint():
		f.Value = v.Uint()
	default:
		f.Value = v.Float()
	}
	return f
}

// Serve runs the worker until the coordinator ends it. run is testing's way to
// run the function that Wrap returned, in a frame of its own. Its error is the
// output of the test.
func Serve(run func(args []any) error) error {
	r := current
	if r == nil {
		return errors.New("no fuzz function")
	}
	return r.serve(run, func(call func(args []any) result) error {
		adapter := func(in, _ []any) {
			switch res := call(in); {
			case res.failure != nil:
				panic(res.failure)
			case res.skipped:
				panic(seq.Thrown) // a call that did not do its work, and no failure
			}
		}
		return process.Run(executor.Bindings{
			Target: true, Rank: &r.rank, Ops: []executor.Adapter{adapter}, Types: append([]reflect.Type{nil}, distinct(r.types)...),
		})
	})
}

// serve runs loop and the calls that it asks for.
func (r *runner) serve(run func(args []any) error, loop func(call func(args []any) result) error) error {
	var err error
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		err = loop(func(args []any) result {
			r.args = args
			yield(struct{}{})
			return r.res
		})
	})
	defer stop()
	r.next = next
	blank := make([]any, len(r.types))
	for i, t := range r.types {
		blank[i] = reflect.Zero(t).Interface()
	}
	_, more := next()
	for more {
		failed := run(blank)
		if r.done {
			break
		}
		r.left(failed)
		_, more = next()
	}
	return err
}

// distinct returns the types in the order of their first appearance, which is
// their order in the table from type 1 on.
func distinct(types []reflect.Type) []reflect.Type {
	var list []reflect.Type
	for _, t := range types {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// frame runs calls with t, the waiting one first, until one leaves a trace in
// t. [runner.left] reports the result of that call.
func (r *runner) frame(t *testing.T) {
	r.t = t
	before := slices.Clone(bytesOf(t))
	for {
		r.res, r.rank = result{}, 0
		r.call(t)
		if !slices.Equal(before, bytesOf(t)) {
			return
		}
		if _, more := r.next(); !more {
			r.done = true
			return
		}
	}
}

// left records the end of the frame of the last call. A panic is known already;
// failed is testing's error for any other end.
func (r *runner) left(failed error) {
	switch f := r.res.failure; {
	case f != nil:
	case failed != nil:
		r.res.failure = &executor.Failure{Output: failed.Error()}
	default:
		r.res.skipped = r.t.Skipped()
	}
}

// bytesOf returns the memory of *t itself, without the targets of its pointers.
func bytesOf(t *testing.T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(t)), unsafe.Sizeof(*t))
}

// prefix begins the names of the functions of this package.
var prefix = reflect.TypeFor[runner]().PkgPath() + "."

// call makes one call. Should it panic, it keeps where, while the frames are there.
func (r *runner) call(t *testing.T) {
	ok := false
	defer func() {
		if ok {
			return
		}
		v := recover()
		if v == nil {
			return // t.FailNow, t.SkipNow, or runtime.Goexit: testing handles it
		}
		var pcs [64]uintptr
		n := runtime.Callers(2, pcs[:])
		r.res.failure = &executor.Failure{Panic: v, PCs: pcs[:n], Until: prefix}
	}()
	r.invoke(t, r.args)
	ok = true
}

// invoker returns a function that calls ff. It calls the usual signatures
// directly, since a call by reflection takes longer than many targets. Each
// call gets its own copy of byte slices.
func invoker(ff any) func(t *testing.T, in []any) {
	switch ff := ff.(type) {
	case func(*testing.T, []byte):
		return func(t *testing.T, in []any) { ff(t, ownBytes(in[0])) }
	case func(*testing.T, string):
		return func(t *testing.T, in []any) { ff(t, in[0].(string)) }
	case func(*testing.T, []byte, []byte):
		return func(t *testing.T, in []any) { ff(t, ownBytes(in[0]), ownBytes(in[1])) }
	case func(*testing.T, string, string):
		return func(t *testing.T, in []any) { ff(t, in[0].(string), in[1].(string)) }
	case func(*testing.T, string, int):
		return func(t *testing.T, in []any) { ff(t, in[0].(string), in[1].(int)) }
	case func(*testing.T, []byte, int):
		return func(t *testing.T, in []any) { ff(t, ownBytes(in[0]), in[1].(int)) }
	}
	fn := reflect.ValueOf(ff)
	args := make([]reflect.Value, fn.Type().NumIn())
	return func(t *testing.T, in []any) {
		args[0] = reflect.ValueOf(t)
		for i, v := range in {
			if b, ok := v.([]byte); ok {
				v = ownBytes(b)
			}
			args[i+1] = reflect.ValueOf(v)
		}
		fn.Call(args)
	}
}

// GoFuzz returns a function for f.Fuzz that calls fn, a function of go-fuzz.
// The result of fn ranks its input: 1 means prefer it, −1 do not keep it, 0
// neither. It is not inlined: its closure would then have the caller's name,
// which does not end a stack.
//
//go:noinline
func GoFuzz(fn func(data []byte) int) func(*testing.T, []byte) {
	return func(_ *testing.T, data []byte) {
		rank := cmp.Compare(fn(data), 0)
		current.rank = int8(rank)
	}
}

// ownBytes returns a copy with no spare capacity.
func ownBytes(v any) []byte {
	b, ok := v.([]byte)
	if !ok {
		panic(fmt.Sprintf("target: argument of type %T", v))
	}
	c := make([]byte, len(b))
	copy(c, b)
	return c
}
