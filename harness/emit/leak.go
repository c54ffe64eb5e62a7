package emit

import "strconv"

// leak returns the body of a test that fails if goroutines are left of the calls.
func (w *writer) leak(f Finding) string {
	return w.qualify("\tbefore := @runtime.NumGoroutine()\n\tfunc() {\n") + Shown(w.t, f.Sequence, &f.Verdict) + w.qualify(`	}()
	for i := 0; i < 100; i++ { // those that end may need a moment
		if @runtime.GC(); @runtime.NumGoroutine() <= before {
			return
		}
		@time.Sleep(10 * @time.Millisecond)
	}
	`+w.testVar+".Errorf(\"%s; %d goroutines are left of the calls\", "+strconv.Quote(f.Verdict.Message)+", @runtime.NumGoroutine()-before)\n")
}
