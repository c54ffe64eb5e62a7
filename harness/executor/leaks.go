package executor

import (
	"errors"
	"runtime"
	"runtime/pprof"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// leakProfile is the garbage collector's profile of goroutines that wait for an object
// that no other goroutine can reach. Go 1.26 has it as an experiment.
const leakProfile = "goroutineleak"

// Leaks runs s and, when nothing refers to its values any more, looks for goroutines
// that it has left behind and that cannot go on. It returns nil if there are none, or if
// s did not come to its end, and of several rather the one of signature want.
func (x *Executor) Leaks(s seq.Sequence, want engine.Signature) (*engine.Verdict, error) {
	profile := pprof.Lookup(leakProfile)
	if profile == nil {
		return nil, errors.New("the worker was built without a profile of goroutine leaks")
	}
	before := runtime.NumGoroutine()
	returned := make(chan bool)
	go func() { // with it goes the stack that has held the values
		ok := false
		defer func() { returned <- ok }()
		_, ok = x.runAlone(s, nil)
	}()
	if !<-returned {
		return nil, nil
	}
	for range leakLooks {
		runtime.Gosched()
		if runtime.NumGoroutine() <= before {
			return nil, nil
		}
		var dump strings.Builder
		if err := profile.WriteTo(&dump, 2); err != nil {
			return nil, err
		}
		if v := x.leaked.Judge(x.table, s, dump.String(), want); v != nil {
			return v, nil
		}
	}
	return nil, nil
}
