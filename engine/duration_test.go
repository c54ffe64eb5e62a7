package engine

import (
	"testing"
	"time"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// durationTable has an operation that takes a time.Duration, and one that takes none.
func durationTable() (t *seq.Table, wait seq.OpID, duration seq.TypeID) {
	t = fakeTable()
	duration = seq.TypeID(len(t.Types))
	t.Types = append(t.Types, seq.Type{
		Name: "time.Duration", Form: seq.Form{Path: "time", Base: "Duration"}, Literal: seq.Int, Bits: 64, Assignable: []seq.TypeID{duration},
		Mined: []string{"42", "90000000000"},
	})
	wait = seq.OpID(len(t.Ops))
	t.Ops = append(t.Ops, seq.Operation{Name: "wait", Member: "wait", API: true, Params: []seq.TypeID{duration}})
	return t, wait, duration
}

// Durations are drawn from a millisecond to days: a ticker of nanoseconds, of which many
// sequences leave one behind, takes the processor from all others.
func TestDurations(t *testing.T) {
	table, _, duration := durationTable()
	pool, src := NewPool(table), draw.Random(1)
	seen := map[time.Duration]bool{}
	for range 20000 {
		d := time.Duration(pool.Draw(src, duration, smallRange, usual).Value.(int64))
		if d > 0 && d < time.Millisecond {
			t.Fatalf("drew %v, want no duration under a millisecond", d)
		}
		seen[d] = true
	}
	for _, d := range []time.Duration{-1, 0, time.Millisecond, time.Second, time.Hour, 90 * time.Second} {
		if !seen[d] {
			t.Errorf("never drew %v", d)
		}
	}
	for range 1000 {
		if l := pool.DrawSmall(src, duration); isLong(l) {
			t.Fatalf("drew %v for an operation that waits", time.Duration(l.Value.(int64)))
		}
	}
}

// An operation that waited for a long duration is not backed off but given short ones; if
// it waits again it is backed off.
func TestShorten(t *testing.T) {
	table, wait, duration := durationTable()
	s := newSchedule(table, Impossible(table))
	hour := &seq.Literal{Type: duration, Value: int64(time.Hour)}
	long := []seq.Step{{Op: wait, Args: []seq.Arg{seq.Lit(hour)}}}
	in := &style{size: usual}
	if p, ok := s.ask(draw.Random(1), wait, in); !ok || p.brief || !s.toleratesAll(long) {
		t.Fatalf("at first: permit %+v, %v; a long wait tolerated: %v; want any duration", p, ok, s.toleratesAll(long))
	}
	s.stalled(long)
	if p, ok := s.ask(draw.Random(1), wait, in); !ok || !p.brief || s.toleratesAll(long) {
		t.Errorf("after a long wait: permit %+v, %v; a long wait tolerated: %v; want short durations", p, ok, s.toleratesAll(long))
	}
	s.stalled(long)
	if _, ok := s.ask(draw.Random(1), wait, in); ok {
		t.Error("not backed off after another wait")
	}
}

// A duration that tests hand to an operation is not drawn if it is long and the operation
// waits.
func TestSeenDuration(t *testing.T) {
	table, wait, duration := durationTable()
	e := New(Config{Table: table, Pool: NewPool(table), Executor: &fakeExecutor{table: table}, Source: draw.Random(1), Sides: fakeSides, Sink: &fakeSink{}})
	e.Seen(wait, 0, []*seq.Literal{{Type: duration, Value: int64(time.Hour)}})
	e.composer.begin(0)
	p := &e.composer.ops[wait].params[0]
	drawn := map[any]bool{}
	count := func(with permit) (n int) {
		for range 1000 {
			if arg, ok := e.composer.seenLiteral(with, p); ok {
				drawn[arg.Lit.Value] = true
				n++
			}
		}
		return n
	}
	if n := count(permit{size: usual}); n == 0 {
		t.Error("a long duration of tests is never drawn")
	}
	for _, d := range []time.Duration{time.Hour, 2 * time.Hour, time.Hour / 2} {
		if !drawn[int64(d)] {
			t.Errorf("%v is never drawn near an hour", d)
		}
	}
	clear(drawn)
	count(permit{size: usual, timing: timing{brief: true}})
	for d := range drawn {
		if isLong(&seq.Literal{Value: d}) {
			t.Errorf("%v is drawn for an operation that waits", time.Duration(d.(int64)))
		}
	}
}

// TestSteady: once goroutines take the processor, operations that were given a short duration in
// sequences that left some are given none any more, in later processes either. If there are no such operations,
// the sequence has stalled.
func TestSteady(t *testing.T) {
	table, wait, duration := durationTable()
	for _, makes := range []bool{false, true} { // a call that makes nothing may just wait
		if makes {
			table.Ops[wait].Results = []seq.TypeID{duration}
		}
		s := newSchedule(table, Impossible(table))
		s.noteHasty([]seq.Step{{Op: wait, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: duration, Value: int64(3)})}}})
		if s.slowDown() != makes {
			t.Errorf("an operation that makes something: %v; slowed down: %v", makes, !makes)
		}
	}
	of := func(d time.Duration) seq.Sequence {
		return seq.Sequence{{Op: wait, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: duration, Value: int64(d)})}}}
	}
	s := newSchedule(table, Impossible(table))
	s.leftBehind(of(3), &Outcome{Left: 1})
	if !s.toleratesAll(of(time.Hour)) || !s.toleratesAll(of(3)) {
		t.Fatal("a goroutine that waits is held against the sequence")
	}
	s.leftBehind(of(time.Hour), &Outcome{Left: 1, Spins: true})
	for _, d := range []time.Duration{1, 3, time.Millisecond, 0, -1, leastSteady, time.Hour} {
		want := d <= 0 || d >= leastSteady
		if tolerated, welcome := s.toleratesAll(of(d)), s.welcomes(of(d)); tolerated != want || welcome != want {
			t.Errorf("%v tolerated: %v, an entry with it welcome: %v, want %v", d, tolerated, welcome, want)
		}
	}
	p, ok := s.ask(draw.Random(1), wait, &style{size: huge})
	pool, src := NewPool(table), draw.Random(1)
	for range 1000 {
		if l := pool.drawDuration(src, duration, p.timing); !ok || isHasty(l) {
			t.Fatalf("permit %+v, %v: %v is drawn", p, ok, l.Value)
		}
	}
	if l := pool.drawDuration(src, duration, timing{brief: true, steady: true}); l.Value != int64(0) {
		t.Errorf("%v is drawn, which is neither short nor long, want 0", l.Value)
	}
	s.leftBehind(of(time.Hour), &Outcome{Left: 1, Spins: true})
	if s.toleratesAll(of(time.Hour)) {
		t.Error("not backed off after another one")
	}
	for _, tt := range []struct {
		limits  Limits
		refused time.Duration
	}{{Limits{Steady: true}, 3}, {Limits{Brief: true}, time.Hour}} {
		later := newSchedule(table, Impossible(table))
		later.recall(OpCounts{Op: wait, Runs: 1, Limits: tt.limits})
		if later.toleratesAll(of(tt.refused)) || later.welcomes(of(tt.refused)) || !later.welcomes(of(0)) {
			t.Errorf("%+v in the next process: %v is tolerated, or 0 is not", tt.limits, tt.refused)
		}
	}
}
