package exhaustive

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// A differing error says that a run asked another question than an earlier one
// with the same answers.
type differing struct {
	at, want, got int
	site, earlier string
}

func (d *differing) Error() string {
	then, now := fmt.Sprintf("%d values", d.want), fmt.Sprintf("%d at %s", d.got, d.site)
	if d.earlier != "" {
		then += " at " + d.earlier
	}
	if d.got == 0 {
		now = "is not made"
	}
	return fmt.Sprintf("not deterministic: choice %d had %s, now %s, after the same answers (map order, time, random numbers, state that is left?)",
		d.at+1, then, now)
}

// place returns file:line of the nearest caller outside this package.
func (c *C) place() string { return placeOf(3) }

const packageName = "foray.test/harness/exhaustive."

// placeOf returns the first frame, after skip others, that is neither of this
// package nor of the runtime.
func placeOf(skip int) string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(skip, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, packageName) && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
