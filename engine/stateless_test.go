package engine

import (
	"math/rand/v2"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// newFakeComposer returns a composer over the first ops operations of the fake API.
func newFakeComposer(ops, maxSteps int) (*Composer, *fakeExecutor) {
	x := newFake()
	x.table.Ops = x.table.Ops[:ops]
	p := NewPool(x.table)
	for _, l := range p.Literals {
		x.Box(l)
	}
	return NewComposer(x.table, p, x, maxSteps), x
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// A composer that has composed much says the same of a source as a new one.
func TestComposerRemembersNothing(t *testing.T) {
	used, x := newFakeComposer(5, 64)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		input := randomBytes(r, r.IntN(200))
		fresh, _ := newFakeComposer(5, 64)
		want := fresh.Compose(draw.From(draw.NewBytes(input)))
		got := used.Compose(draw.From(draw.NewBytes(input)))
		if !got.Equal(want) {
			t.Fatalf("%q: got\n%swant\n%s", input, x.table.String(got), x.table.String(want))
		}
	}
}

// A call that a busy machine made slow changes nothing: an input means one sequence.
func TestComposerReadsNoClock(t *testing.T) {
	timed, x := newFakeComposer(5, 64)
	timed.c.runner.exec = &slow{fakeExecutor: x, op: opPut}
	untimed, _ := newFakeComposer(5, 64)
	r := rand.New(rand.NewPCG(7, 8))
	calls := 0
	for range 100 {
		input := randomBytes(r, 100)
		want := untimed.Compose(draw.From(draw.NewBytes(input)))
		if got := timed.Compose(draw.From(draw.NewBytes(input))); !got.Equal(want) {
			t.Fatalf("%q: got\n%swant\n%s", input, x.table.String(got), x.table.String(want))
		}
		calls += timed.c.runner.exec.(*slow).calls
	}
	if calls == 0 {
		t.Error("no call was slow")
	}
}

func TestComposerSequencesAreLegal(t *testing.T) {
	c, x := newFakeComposer(5, 20)
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 400 {
		s := c.Compose(draw.From(draw.NewBytes(randomBytes(r, n%100))))
		if err := s.Check(x.table); err != nil {
			t.Fatal(err)
		}
		// One that aims at its length may make arguments beyond it.
		if len(s) == 0 || len(s) > 20+maxDepth {
			t.Errorf("%d bytes make %d steps, want 1 to 20", n%100, len(s))
		}
	}
}

// More choices make longer sequences; fewer leave a prefix of the same sequence.
func TestComposerEndsWithItsChoices(t *testing.T) {
	c, x := newFakeComposer(3, 100)
	input := randomBytes(rand.New(rand.NewPCG(5, 6)), 64)
	length := 0
	var last seq.Sequence
	for n := range input {
		s := c.Compose(draw.From(draw.NewBytes(input[:n]))).Clone()
		if grown := len(s) - length; grown > 4 {
			t.Errorf("byte %d makes %d steps more:\n%sbefore\n%s", n, grown, x.table.String(s), x.table.String(last))
		}
		length, last = max(length, len(s)), s
	}
	if length < 8 {
		t.Errorf("64 bytes make %d steps, want some ten", length)
	}
}
