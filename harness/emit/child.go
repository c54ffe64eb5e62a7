package emit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"foray.test/engine"
)

// The variable with the child process's test, and the child's last output.
const (
	childEnv = "FORAY_CHILD"
	marker   = "foray: the calls have returned"
)

// inChild reports whether the calls of a finding run in a process of their own.
func inChild(kind string) bool {
	return slices.Contains([]string{engine.KindFatal, engine.KindExit, engine.KindHang, engine.KindMemory}, kind)
}

// inChild returns the body of a test that runs itself once more in a process of
// its own, and there the calls.
func (w *writer) inChild(name string, f Finding) string {
	statements := Shown(w.t, f.Sequence, &f.Verdict)
	flags := ""
	seconds := int(cmp.Or(f.Options.Patience, 10*time.Second) / time.Second)
	switch f.Verdict.Kind {
	case engine.KindMemory:
		statements = w.qualify(memoryWatch) + statements + "\t\tcheckMemory()\n"
	case engine.KindHang:
		flags = fmt.Sprintf(`, "-test.timeout=%ds"`, seconds-1) // prints where the goroutines are
	}
	return w.child(name, statements, seconds, flags) + w.qualify(fmt.Sprintf(`	if ctx.Err() != nil {
		%[1]s.Fatalf("the calls have not returned after %[2]d s\n%%s", out)
	}
	if err != nil || !@bytes.Contains(out, []byte(%[3]q)) {
		%[1]s.Fatalf("the calls did not return: %%v\n%%s", err, out)
	}
`, w.testVar, seconds, marker))
}

// child returns the beginning of the body of a test that runs itself once more, for so many
// seconds at most, with more flags, and there statements.
func (w *writer) child(name, statements string, seconds int, flags string) string {
	return w.qualify(fmt.Sprintf("\tif @os.Getenv(%q) == %q {\n", childEnv, name)) + statements + w.qualify(fmt.Sprintf(`		@fmt.Println(%[2]q)
		return
	}
	ctx, cancel := @context.WithTimeout(@context.Background(), %[5]d*@time.Second)
	defer cancel()
	cmd := @os/exec.CommandContext(ctx, @os.Args[0], "-test.run=^%[1]s$"%[4]s)
	cmd.Env = append(@os.Environ(), "%[3]s=%[1]s")
	cmd.WaitDelay = @time.Second
	out, err := cmd.CombinedOutput()
`, name, marker, childEnv, flags, seconds))
}

// memoryWatch are the statements before calls that must not take more than 1 GiB from the system.
// They declare checkMemory.
const memoryWatch = `		checkMemory := func() {
			var m @runtime.MemStats
			if @runtime.ReadMemStats(&m); m.Sys > 1<<30 {
				@fmt.Println("the calls took", m.Sys, "bytes of memory")
				@os.Exit(1)
			}
		}
		go func() {
			for {
				checkMemory()
				@time.Sleep(10 * @time.Millisecond)
			}
		}()
`
