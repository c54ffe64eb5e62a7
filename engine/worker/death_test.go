package worker

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
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

// A panic in a goroutine that the package started is the fault of who started it,
// whatever ran at the time; any other end that of the last step, in all its instances.
func TestBlamed(t *testing.T) {
	table := &seq.Table{Ops: []seq.Operation{{Member: "Start"}, {Member: "Put"}, {Member: "Put"}, {Kind: seq.Call}, {Kind: seq.Call}}}
	late := func(starter string) string {
		return "panic: boom\n\ngoroutine 19 [running]:\nexample.org/p.work()\ncreated by example.org/p." + starter + "[...] in goroutine 7\n"
	}
	for _, tt := range []struct {
		name string
		d    Death
		s    seq.Sequence
		want []seq.OpID
	}{
		{"a goroutine that a call started", Death{Stderr: late("Start")}, seq.Sequence{{Op: 1}}, []seq.OpID{0}},
		{"the same, between sequences", Death{Stderr: late("Start")}, nil, []seq.OpID{0}},
		{"nobody's goroutine", Death{Stderr: late("start")}, seq.Sequence{{Op: 0}, {Op: 1}}, []seq.OpID{1, 2}},
		{"a hang", Death{Hang: true}, seq.Sequence{{Op: 0}, {Op: 2}}, []seq.OpID{1, 2}},
		{"what is no member", Death{Hang: true}, seq.Sequence{{Op: 0}, {Op: 4}}, []seq.OpID{4}},
		{"nothing ran", Death{ExitCode: 2}, nil, nil},
	} {
		if got := tt.d.Blamed(table, tt.s); !slices.Equal(got, tt.want) {
			t.Errorf("%s: blamed on %v, want %v", tt.name, got, tt.want)
		}
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

// Who waits is idle, who used up its fuel runs on, who ended its goroutine does neither.
func TestDeathOf(t *testing.T) {
	for _, tt := range []struct {
		lost       wire.Lost
		hang, idle bool
	}{
		{wire.Lost{}, true, true},
		{wire.Lost{Endless: true}, true, false},
		{wire.Lost{Goexit: true}, false, false},
	} {
		if d := DeathOf(&tt.lost); d.Hang != tt.hang || d.Idle != tt.idle {
			t.Errorf("%+v: hangs %v, idle %v, want %v, %v", tt.lost, d.Hang, d.Idle, tt.hang, tt.idle)
		}
	}
}
