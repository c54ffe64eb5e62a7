package worker

import (
	"testing"

	"foray.test/engine"
)

func TestMemberOf(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"github.com/robfig/cron/v3.(*Cron).Start", "(*Cron).Start"},
		{"github.com/samber/lo.Async2[...].func1", "Async2"},
		{"example.org/p.(*T[...]).M.func1.2", "(*T).M"},
		{"p.T.M", "T"},
		{"main.main", "main"},
	} {
		if got := memberOf(tt.in); got != tt.want {
			t.Errorf("memberOf(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestStarter(t *testing.T) {
	const dump = `panic: boom

goroutine 19 [running]:
example.org/p.work()
	/x/p.go:7 +0x1d
created by example.org/p.(*Pool[...]).Start in goroutine 7
	/x/p.go:5 +0x2b

goroutine 7 [select]:
created by main.main in goroutine 1
`
	if got, want := (Death{Stderr: dump}).Starter(), "(*Pool).Start"; got != want {
		t.Errorf("Starter = %q, want %q", got, want)
	}
	if got := (Death{Stderr: "exit status 3"}).Starter(); got != "" {
		t.Errorf("without a dump: Starter = %q, want none", got)
	}
}

// What a death is says how the process ended first, then what it wrote.
func TestDeathKind(t *testing.T) {
	for _, tt := range []struct {
		d    Death
		want string
	}{
		{Death{ExitCode: 3}, engine.KindExit},
		{Death{ExitCode: 2, Stderr: "panic: no"}, engine.KindFatal},
		{Death{ExitCode: 2, Stderr: "fatal error: all goroutines are asleep"}, engine.KindFatal},
		{Death{ExitCode: -1, Signal: "killed"}, engine.KindFatal},
		{Death{ExitCode: 2, Stderr: "fatal error: runtime: out of memory"}, engine.KindMemory},
		{Death{ExitCode: -1, Signal: "killed", Memory: true}, engine.KindMemory},
		{Death{ExitCode: -1, Signal: "aborted", Hang: true, Stderr: "SIGQUIT: quit"}, engine.KindHang},
	} {
		if got := tt.d.Kind(); got != tt.want {
			t.Errorf("%+v is %s, want %s", tt.d, got, tt.want)
		}
	}
}
