package executor

import (
	"slices"
	"sync"

	"foray.test/engine/seq"
)

// Together runs the first steps of s and then, from two goroutines at once, the
// others. Steps after a panic are left out: only the race detector is asked.
func (x *Executor) Together(s seq.Sequence, first int) {
	for range rounds {
		shared, ok := x.runAlone(s[:first], nil)
		if !ok {
			return
		}
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 2 {
			own := slices.Clone(shared)
			wg.Go(func() {
				<-start
				x.runAlone(s[first:], own)
			})
		}
		close(start)
		wg.Wait()
	}
}

// runAlone runs steps with nothing of the executor that another goroutine may use.
// It returns the slots, and whether all steps returned.
func (x *Executor) runAlone(s seq.Sequence, vals []any) (slots []any, ok bool) {
	defer func() {
		if !ok {
			_ = recover() // judged elsewhere, where one goroutine runs the calls
		}
	}()
	for i := range s {
		in := make([]any, len(s[i].Args))
		for j, a := range s[i].Args {
			if a.Lit != nil {
				in[j] = a.Lit.Boxed
			} else {
				in[j] = vals[a.Slot]
			}
		}
		for _, r := range x.ops[s[i].Op].requires {
			r.adapter(in, nil)
		}
		out := make([]any, x.ops[s[i].Op].results)
		x.ops[s[i].Op].adapter(in, out)
		vals = append(vals, out...)
	}
	return vals, true
}
