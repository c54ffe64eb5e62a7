package engine

import (
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

func TestNumbersHaveTheirSequencesMagnitude(t *testing.T) {
	pool, src := NewPool(fakeTable()), draw.Random(1)
	for _, most := range []magnitude{usual, large, huge} {
		seen := usual
		for range 20000 {
			l := pool.Draw(src, typeInt, smallRange, most)
			// Mined numbers of any size up to HugeInt are drawn.
			if m := magnitudeOf(l.Value); l.Value != int64(4711) {
				seen = max(seen, m)
			}
		}
		if seen != most {
			t.Errorf("sequences of magnitude %d draw up to magnitude %d", most, seen)
		}
	}
}

func TestWritesOnlyWhereAsked(t *testing.T) {
	table := fakeTable()
	write := seq.OpID(len(table.Ops))
	table.Ops = append(table.Ops, seq.Operation{Name: "set", Kind: seq.FieldSet, Params: []seq.TypeID{typeBag, typeInt}})
	s, src := newSchedule(table, Impossible(table)), draw.Random(1)
	count := func(writes bool) (n int) {
		for range 2000 {
			if id, _, ok := s.pick(src, &style{writes: writes}); ok && id == write {
				n++
			}
		}
		return n
	}
	if n := count(false); n != 0 {
		t.Errorf("%d writes where none were asked for", n)
	}
	if n := count(true); n == 0 {
		t.Error("no write where they were asked for")
	}
}
