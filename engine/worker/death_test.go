package worker

import (
	"reflect"
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

const lateDump = `noise
panic: boom

goroutine 19 [running]:
example.org/p.work()
	/x/p.go:7 +0x1d
created by example.org/p.(*Pool[...]).Start in goroutine 7
	/x/p.go:5 +0x2b

goroutine 7 [select]:
rt/harness.(*executor).call(0x1)
created by main.main in goroutine 1
`

// TestLate tells a panic of a goroutine of the package from one of the steps.
func TestLate(t *testing.T) {
	const step = "rt/harness.(*executor).call"
	inStep := "panic: boom\n\ngoroutine 7 [running]:\nexample.org/p.(*T).Do(0x1)\n\t/x/p.go:3 +0x1\n" + step + "(0x1)\n\t/h.go:1 +0x1\n" +
		"created by rt/harness.Main in goroutine 1\n"
	timer := "panic: boom\n\ngoroutine 9 [running]:\nexample.org/p.(*T).Do.func1()\n\t/x/p.go:3 +0x1\nruntime.goexit({})\n\t/r.s:1 +0x1\n" +
		"created by time.goFunc\n\t/t.go:215 +0x1\n"
	for _, tt := range []struct {
		name    string
		d       Death
		late    bool
		starter string
	}{
		{"another goroutine", Death{Crashed: true, Stderr: lateDump, StepFunc: step}, true, "(*Pool).Start"},
		{"the goroutine of the steps", Death{Crashed: true, Stderr: inStep, StepFunc: step}, false, ""},
		{"a function whose name only begins alike", Death{Crashed: true, Stderr: inStep, StepFunc: step[:len(step)-1]}, true, "Main"},
		{"a timer", Death{Crashed: true, Stderr: timer, StepFunc: step}, true, "(*T).Do"},
		{"no stack", Death{Crashed: true, Stderr: "panic: boom", StepFunc: step}, true, ""},
		{"a hang", Death{Stderr: lateDump, StepFunc: step, Hang: true}, false, ""},
		{"a text that says so", Death{Stderr: lateDump, StepFunc: step, ExitCode: 3}, false, ""},
		{"no panic", Death{Stderr: "exit status 3", StepFunc: step}, false, ""},
	} {
		if got := tt.d.Late(); got != tt.late {
			t.Errorf("%s: late %v, want %v", tt.name, got, tt.late)
		}
		if got := tt.d.Starter(); got != tt.starter {
			t.Errorf("%s: started by %q, want %q", tt.name, got, tt.starter)
		}
	}
}

// TestOfCrash: the text of a crash begins with its message, also if it has two.
func TestOfCrash(t *testing.T) {
	const dump = "\ngoroutine 7 gp=0x1 m=0 [running]:\nexample.org/p.F()\n\t/x/p.go:3 +0x1\n"
	for _, tt := range []struct{ text, want string }{
		{"log\npanic: a\n" + dump, "panic: a\n" + dump},
		{"panic: not really\nfatal error: neither\npanic: a\n\tpanic: b\n" + dump, "panic: a\n\tpanic: b\n" + dump},
		{"fatal error: a\nfatal error: a\n" + dump, "fatal error: a\n" + dump},
		{"fatal error: a\n" + dump + "fatal error: b\n", "fatal error: a\n" + dump + "fatal error: b\n"},
		{"SIGSEGV: segmentation violation\n" + dump, "SIGSEGV: segmentation violation\n" + dump},
		{"log\npanic: a", "panic: a"},
	} {
		if got := ofCrash(tt.text); got != tt.want {
			t.Errorf("of %q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestLiterals: the func literals of adapters that a goroutine was in when it panicked, and whether
// the innermost one panicked itself.
func TestLiterals(t *testing.T) {
	const head, created = "panic: boom\n\ngoroutine 19 [running]:\npanic({0x1, 0x2})\n\t/r/panic.go:8 +0x1\n", "created by example.org/p.work in goroutine 7\n"
	const own, other = "main.forayOp12.func1({0x1, 0x2})\n\t/x/a.go:1 +0x1\n", "main.forayOp3.func2.1()\n\t/x/a.go:1 +0x1\n"
	const p, runtime, adapter = "example.org/p.run(0x1)\n\t/x/p.go:1 +0x1\n", "runtime.panicmem(...)\n\t/r/panic.go:2\n", "main.forayOp5({0x1, 0x2}, {0x3})\n\t/x/a.go:1 +0x1\n"
	for _, tt := range []struct {
		name, frames string
		want         []seq.OpID
		throws       bool
	}{
		{"a literal that panics", runtime + own + p, []seq.OpID{12}, true},
		{"a literal that calls what panics", p + own + p + other, []seq.OpID{12, 3}, false},
		{"a literal in a literal", own + other + p, []seq.OpID{12, 3}, true},
		{"no literal", p + adapter, nil, false},
	} {
		d := Death{Crashed: true, Stderr: head + tt.frames + created, StepFunc: "rt/harness.(*executor).call"}
		if got := d.Cause(nil); !slices.Equal(got.Literals, tt.want) || got.Throws != tt.throws {
			t.Errorf("%s: literals %v, throws %v; want %v, %v", tt.name, got.Literals, got.Throws, tt.want, tt.throws)
		}
		d.StepFunc = "example.org/p.run"
		if got := d.Cause(nil); !got.Late && len(got.Literals) > 0 {
			t.Errorf("%s: literals %v in the goroutine of the steps, want none", tt.name, got.Literals)
		}
	}
}

// TestCause: the properties of a death that restrictions depend on.
func TestCause(t *testing.T) {
	s := seq.Sequence{{Op: 1}}
	for _, tt := range []struct {
		name string
		d    Death
		want restrict.Death
	}{
		{"an exit", Death{ExitCode: 3}, restrict.Death{Steps: s}},
		{"a hang", Death{Hang: true, Stderr: "SIGQUIT: quit"}, restrict.Death{Steps: s, Costly: true}},
		{"a wait", Death{Hang: true, Idle: true}, restrict.Death{Steps: s, Costly: true, Idle: true}},
		{"all memory", Death{Crashed: true, Stderr: "fatal error: runtime: out of memory"}, restrict.Death{Steps: s, Costly: true, Memory: true}},
		{"near the limit", Death{Memory: true}, restrict.Death{Steps: s, Costly: true, Memory: true}},
		{"an overflow", Death{Stderr: "fatal error: stack overflow"}, restrict.Death{Steps: s, Overflow: true}},
		{"a goroutine's panic", Death{Crashed: true, Stderr: lateDump}, restrict.Death{Steps: s, Starter: "(*Pool).Start", Late: true}},
		{"a literal of foray's own", Death{Stderr: "panic: " + seq.Thrown}, restrict.Death{Steps: s, OwnPanic: true}},
	} {
		if got := tt.d.Cause(s); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestDeathKind: how the process ended comes before the text that it wrote.
func TestDeathKind(t *testing.T) {
	for _, tt := range []struct {
		d    Death
		want string
	}{
		{Death{ExitCode: 3}, engine.KindExit},
		{Death{ExitCode: 2, Stderr: "panic: no"}, engine.KindExit},
		{Death{ExitCode: 1, Stderr: "2026/11/22 fatal error: all goroutines are asleep"}, engine.KindExit},
		{Death{ExitCode: 3, Stderr: "out of memory"}, engine.KindExit},
		{Death{Crashed: true, Signal: "SIGABRT", Stderr: "panic: no"}, engine.KindFatal},
		{Death{Crashed: true, Signal: "SIGABRT", Stderr: "log: out of memory\npanic: no"}, engine.KindFatal},
		{Death{ExitCode: -1, Signal: "SIGKILL"}, engine.KindFatal},
		{Death{Crashed: true, Signal: "SIGABRT", Stderr: "fatal error: runtime: out of memory"}, engine.KindMemory},
		{Death{ExitCode: -1, Signal: "SIGKILL", Memory: true}, engine.KindMemory},
		{Death{ExitCode: -1, Signal: "SIGABRT", Hang: true, Stderr: "SIGQUIT: quit"}, engine.KindHang},
	} {
		if got := tt.d.Kind(); got != tt.want {
			t.Errorf("%+v is %s, want %s", tt.d, got, tt.want)
		}
	}
}

// TestDeathOf: a call that waits is idle, one that used up its fuel runs on, one that
// ended its goroutine does neither.
func TestDeathOf(t *testing.T) {
	for _, tt := range []struct {
		lost       wire.Lost
		hang, idle bool
	}{
		{wire.Lost{}, true, true},
		{wire.Lost{Endless: true}, true, false},
		{wire.Lost{Goexit: true}, false, false},
		{wire.Lost{Stack: "goroutine 7 [sync.WaitGroup.Wait]:\np.F()\n\ngoroutine 9 [sleep]:\np.F.func1()\ncreated by p.F in goroutine 7\n"}, true, true},
		{wire.Lost{Stack: "goroutine 7 [sync.WaitGroup.Wait]:\np.F()\n\ngoroutine 9 [runnable]:\np.F.func1()\ncreated by p.F in goroutine 7\n"}, true, false},
	} {
		if d := DeathOf(&tt.lost); d.Hang != tt.hang || d.Idle != tt.idle {
			t.Errorf("%+v: hangs %v, idle %v, want %v, %v", tt.lost, d.Hang, d.Idle, tt.hang, tt.idle)
		}
	}
}
