package blame

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// leakDump is of two goroutines that cannot go on, among others.
const leakDump = `goroutine 1 [running]:
main.main()
	/p/main.go:40 +0x145

goroutine 7 [chan send (leaked)]:
example.org/p%2ev2.(*T).Start.func1()
	/src/p/t.go:12 +0x44
created by example.org/p%2ev2.(*T).Start in goroutine 6
	/src/p/t.go:11 +0x78

goroutine 8 [sync.Mutex.Lock (leaked)]:
sync.(*Mutex).Lock(...)
	/go/src/sync/mutex.go:46
example.org/p%2ev2.watch(0x1)
	/src/p/t.go:30 +0x1
created by example.org/p%2ev2.Watch in goroutine 6
	/src/p/t.go:29 +0x78

goroutine 9 [chan receive]:
example.org/p%2ev2.(*T).Serve()
	/src/p/t.go:50 +0x71
created by example.org/p%2ev2.(*T).Start in goroutine 6
	/src/p/t.go:16 +0x78
`

func TestLeaks(t *testing.T) {
	b := seqtest.NewBuilder()
	b.Add(seq.Func, "New() *p.T")
	b.Add(seq.Method, "(*T).Start()")
	b.Add(seq.Method, "(*T).Len() int")
	s := b.Steps("New(); Start(v0); Len(v0)")
	var l Leaks
	v := l.Judge(&b.Table, s, leakDump, engine.Signature{})
	if v == nil {
		t.Fatal("no verdict")
	}
	want := engine.Verdict{
		Tier: engine.Error, Kind: engine.KindLeak, Op: s[1].Op, Signature: engine.Signature{Kind: engine.KindLeak, Where: "(*T).Start"},
		Message: "a goroutine in (*T).Start waits for ever: chan send", Reason: docLeak,
		Stack: "example.org/p%2ev2.(*T).Start.func1\n\t/src/p/t.go:12\n",
	}
	if v.Tier != want.Tier || v.Kind != want.Kind || v.Op != want.Op || v.Signature != want.Signature || v.Message != want.Message || v.Reason != want.Reason || v.Stack != want.Stack {
		t.Errorf("got  %+v\nwant %+v", *v, want)
	}
	if v := l.Judge(&b.Table, s, leakDump, engine.Signature{}); v != nil {
		t.Errorf("those that were seen before: %+v, want nothing", v)
	}
	later := strings.NewReplacer("goroutine 7", "goroutine 17", "goroutine 8", "goroutine 18").Replace(leakDump)
	watch := engine.Signature{Kind: engine.KindLeak, Where: "watch"}
	if v := l.Judge(&b.Table, s, later, engine.Signature{}); v == nil || v.Signature != watch || v.Op != s[2].Op {
		t.Errorf("with one of which was told: %+v, want the other", v)
	}
	later = strings.NewReplacer("goroutine 7", "goroutine 27", "goroutine 8", "goroutine 28").Replace(leakDump)
	if v := new(Leaks).Judge(&b.Table, s, later, watch); v == nil || v.Signature != watch {
		t.Errorf("wanted: %+v", v)
	}
	if v := new(Leaks).Judge(&b.Table, s, strings.ReplaceAll(leakDump, " (leaked)", ""), engine.Signature{}); v != nil {
		t.Errorf("of those that may go on: %+v, want nothing", v)
	}
	if v := new(Leaks).Judge(&b.Table, s, strings.ReplaceAll(leakDump, "example.org/p%2ev2.", "q."), engine.Signature{}); v != nil {
		t.Errorf("of another package: %+v, want nothing", v)
	}
}

// A leak that its caller could have ended is a suspect.
func TestLeakLeftToCaller(t *testing.T) {
	for _, tt := range []struct {
		name, steps, from, to string
		make                  func(b *seqtest.Builder)
	}{
		{"a channel", "New(); Iter(v0)", "", "", func(b *seqtest.Builder) { b.Add(seq.Method, "(*T).Iter() <-chan int") }},
		{"a context", "New(); Ctx(); Run(v0, v1)", "", "", func(b *seqtest.Builder) {
			b.Add(seq.Standard, "Ctx() context.Context")
			b.Add(seq.Method, "(*T).Run(context.Context)")
		}},
		{"a method that stops", "New()", "", "", func(b *seqtest.Builder) { b.Add(seq.Method, "(*T).StopAll()") }},
		{"a zero value", "Zero()", "", "", func(b *seqtest.Builder) {
			b.Add(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
		}},
		{"a nil channel", "New()", "chan send", "chan send (nil chan)", func(*seqtest.Builder) {}},
		{"in another package", "New()", "example.org/p%2ev2.(*T).Start.func1()", "io.(*pipe).read()\n\t/go/src/io/pipe.go:5 +0x1\nexample.org/p%2ev2.(*T).Start.func1()", func(*seqtest.Builder) {}},
	} {
		b := seqtest.NewBuilder()
		b.Add(seq.Func, "New() *p.T")
		tt.make(b)
		v := new(Leaks).Judge(&b.Table, b.Steps(tt.steps), strings.Replace(leakDump, tt.from, tt.to, 1), engine.Signature{})
		if v == nil || v.Tier != engine.Suspect || v.Reason == "" {
			t.Errorf("%s: %+v, want a suspect", tt.name, v)
		}
	}
}
