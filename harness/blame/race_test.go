package blame

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

const raceReport = `==================
WARNING: DATA RACE
Write at 0x00c000112018 by goroutine 8:
  runtime.mapassign_faststr()
      /go/src/internal/runtime/maps/runtime_faststr.go:263 +0x0
  example.org/p%2ev2.(*T).Add()
      /src/p/t.go:12 +0x44
  example.org/p%2ev2_test.forayOp3()
      /src/p/foray_adapters_test.go:70 +0x90

Previous read at 0x00c000112018 by goroutine 7:
  example.org/p%2ev2.(*T).Len()
      /src/p/t.go:17 +0x30
  example.org/p%2ev2_test.forayOp4()
      /src/p/foray_adapters_test.go:75 +0x90

Goroutine 8 (running) created at:
  forayrt/harness/executor.(*Executor).Together()
      /go/src/forayrt/harness/executor/together.go:30 +0x1a4
==================
`

func TestRace(t *testing.T) {
	b := seqtest.NewBuilder()
	b.Add(seq.Func, "New() *p.T")
	b.Add(seq.Method, "(*T).Add(int)")
	b.Add(seq.Method, "(*T).Len() int")
	b.Table.Types[b.Type("*p.T")].Shared = "A T is safe for concurrent use."
	s := b.Steps("New(); Add(v0, 1); Len(v0)")
	v := Race(&b.Table, s, 1, raceReport)
	if v == nil {
		t.Fatal("no verdict")
	}
	want := engine.Verdict{
		Tier: engine.Error, Kind: engine.KindRace, Op: s[1].Op, Fork: 1, Signature: engine.Signature{Kind: engine.KindRace, Where: "(*T).Add|(*T).Len"},
		Message: "write in (*T).Add races with a read in (*T).Len", Reason: "A T is safe for concurrent use.",
		Stack: "write:\nexample.org/p%2ev2.(*T).Add\n\t/src/p/t.go:12\nread:\nexample.org/p%2ev2.(*T).Len\n\t/src/p/t.go:17\n",
	}
	if v.Stack != want.Stack {
		t.Errorf("stack\n%s\nwant\n%s", v.Stack, want.Stack)
	}
	if v.Signature != want.Signature || v.Message != want.Message || v.Reason != want.Reason || v.Tier != want.Tier || v.Op != want.Op || v.Fork != want.Fork {
		t.Errorf("got  %+v\nwant %+v", *v, want)
	}
	ty := &b.Table.Types[b.Type("*p.T")]
	ty.Shared, ty.Locks = "it holds a sync.Mutex", true
	if v := Race(&b.Table, s, 1, raceReport); v == nil || v.Tier != engine.Suspect {
		t.Errorf("without a promise: %+v, want a suspect", v)
	}
	b.Add(seq.Method, "(*T).ReadAt([]byte, int64) (int, error)", func(op *seq.Operation) { op.ReturnsError = true })
	b.Add(seq.Func, "Bytes() []byte", func(op *seq.Operation) { op.API, op.Kind = false, seq.Convert })
	reads := b.Steps("New(); Bytes(); ReadAt(v0, v1, 0)")
	if v := Race(&b.Table, reads, 1, raceReport); v == nil || v.Tier != engine.Error || v.Reason != docReadAt || v.Op != reads[2].Op {
		t.Errorf("two ReadAt: %+v, want an error", v)
	}
	if v := Race(&b.Table, reads, 2, raceReport); v == nil || v.Tier != engine.Suspect {
		t.Errorf("two ReadAt with the same bytes: %+v, want a suspect", v)
	}
	for name, report := range map[string]string{
		"none":                         "exit status 66",
		"one side":                     raceReport[:300],
		"a side is not of the package": "WARNING: DATA RACE\nWrite at 0x0 by goroutine 8:\n  example.org/p%2ev2.(*T).Add()\n      /t.go:1 +0x1\n\nPrevious write at 0x0 by main goroutine:\n  forayrt/harness/executor.(*Executor).Together()\n      /h.go:1 +0x1\n\n",
	} {
		if v := Race(&b.Table, s, 1, report); v != nil {
			t.Errorf("%s: %+v, want nothing", name, v)
		}
	}
}
