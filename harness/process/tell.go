package process

import (
	"runtime"
	"strings"

	"foray.test/engine/godump"
	"foray.test/harness/executor"
)

// tellIfAsked tells the coordinator the stack of the goroutine that runs steps, if it has
// asked: it takes the process for hanging, and is about to end it. If the call returns
// meanwhile, its goroutine waits for that, so that the journal still has its sequence.
func (w *worker) tellIfAsked() {
	t := w.owner.Load()
	if w.shared.Asked.Load() == 0 || t == nil {
		return
	}
	t.Revoke(func() bool {
		w.shared.Tell(stacks(w.shared.Goroutine.Load()))
		select {}
	})
}

// mostDumpBytes bounds a dump in which the goroutine of the steps is looked for: thousands
// of others may come before it.
const mostDumpBytes = 64 << 20

// stacks returns the stack of the goroutine with a number, or of those that run steps if
// that is zero. It returns all if a dump has none of them.
func stacks(id uint64) string {
	for size := dumpBytes; ; size *= 4 {
		dump := make([]byte, size)
		n := runtime.Stack(dump, true)
		var all, list []string
		parsed := godump.Parse(string(dump[:n]))
		for _, g := range parsed {
			all = append(all, g.Text)
			if g.ID == id || id == 0 && g.Calls(executor.StepFunc) {
				list = append(list, stackOf(&g, parsed))
			}
		}
		if len(list) == 0 {
			list = all
		}
		if len(list) < len(all) || n < size || size >= mostDumpBytes {
			return strings.Join(list, "\n\n") + "\n\n"
		}
	}
}
