package executor

import (
	"bytes"
	"testing"

	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// The journal has the sequence that runs, and behind its back those before, until
// their place is needed.
func TestJournalKeepsEarlier(t *testing.T) {
	s := wire.SharedOf(make([]byte, wire.SharedBytes))
	j := newJournal(s)
	long := seq.Step{Op: 1, Args: make([]seq.Arg, 1000)}
	var ran [][]byte
	for i := range 500 {
		j.reset()
		var want []byte
		for range i % 40 {
			j.append(long)
			want = seq.AppendStep(want, long)
		}
		j.append(seq.Step{Op: seq.OpID(i)})
		want = seq.AppendStep(want, seq.Step{Op: seq.OpID(i)})
		if !bytes.Equal(s.Running(), want) {
			t.Fatalf("sequence %d: the journal has %d bytes, want %d", i, len(s.Running()), len(want))
		}
		earlier := s.Earlier()
		if i > 4 && len(earlier) < 2 || len(earlier) > len(ran) {
			t.Fatalf("sequence %d: %d before it", i, len(earlier))
		}
		for k, e := range earlier {
			if !bytes.Equal(e, ran[len(ran)-len(earlier)+k]) {
				t.Fatalf("sequence %d: the journal has another for the one %d before it", i, len(earlier)-k)
			}
		}
		j.idle()
		if len(s.Running()) > 0 {
			t.Fatal("a sequence runs that has ended")
		}
		ran = append(ran, want)
	}
}

// The call of a contract is one more step while it runs.
func TestJournalCalling(t *testing.T) {
	s := wire.SharedOf(make([]byte, wire.SharedBytes))
	j := newJournal(s)
	j.reset()
	j.append(seq.Step{Op: 3})
	j.judging(5)
	alone := bytes.Clone(s.Running())
	call := seq.Step{Op: 4, Args: []seq.Arg{{Slot: 0}}}
	for _, named := range []bool{true, false, true} {
		j.calling(call, named)
		want := alone
		if named {
			want = seq.AppendStep(bytes.Clone(alone), call)
		}
		if got := s.Running(); !bytes.Equal(got, want) || s.Oracle.Load() == 5 == named {
			t.Errorf("named %v: %x, oracle %d; want %x", named, got, s.Oracle.Load(), want)
		}
		if got := s.Begun(); !bytes.Equal(got, alone) {
			t.Errorf("named %v: the sequence has begun %x, want %x", named, got, alone)
		}
	}
	j.idle()
	if earlier := s.Earlier(); len(earlier) != 1 || !bytes.Equal(earlier[0], alone) || s.Oracle.Load() != 0 {
		t.Errorf("behind it: %x, oracle %d", earlier, s.Oracle.Load())
	}
}
