package draw

import "testing"

func TestRandomIsUniformAndInRange(t *testing.T) {
	s := Random(7)
	const n, rounds = 13, 130000
	var count [n]int
	for range rounds {
		count[s.Choose("x", n)]++
	}
	for i, c := range count {
		if c < rounds/n*9/10 || c > rounds/n*11/10 {
			t.Errorf("value %d drawn %d times of %d, want about %d", i, c, rounds, rounds/n)
		}
	}
}

func TestSameSeedSameChoices(t *testing.T) {
	a, b, c := Random(1), Random(1), Random(2)
	same := true
	for range 100 {
		x := a.Choose("x", 1<<30)
		if y := b.Choose("x", 1<<30); x != y {
			t.Fatalf("same seed: %d and %d", x, y)
		}
		same = same && x == c.Choose("x", 1<<30)
	}
	if same {
		t.Error("seeds 1 and 2 give the same choices")
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range 1000 {
		seen[Stream(5, i)] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d distinct streams of 1000", len(seen))
	}
}

func TestTape(t *testing.T) {
	tape := &Tape{Choices: []int{3, 9}}
	s := From(tape)
	for i, want := range []int{3, 4, 0, 0} {
		if got := s.Choose("x", 5); got != want {
			t.Errorf("choice %d: got %d, want %d", i, got, want)
		}
	}
	if len(tape.Asked) != 4 {
		t.Errorf("asked %d times, want 4", len(tape.Asked))
	}
}

func TestBytes(t *testing.T) {
	s := From(NewBytes([]byte{7, 1, 2}))
	if got := s.Choose("one", 1); got != 0 {
		t.Errorf("a choice of one took %d", got)
	}
	if got := s.Choose("small", 5); got != 2 {
		t.Errorf("7 mod 5: got %d", got)
	}
	if got := s.Choose("wide", 1<<16); got != 0x0102 {
		t.Errorf("two bytes: got %#x", got)
	}
	if got := s.Choose("over", 1<<16); got != 0 {
		t.Errorf("past the end: got %d", got)
	}
}

func BenchmarkChoose(b *testing.B) {
	s := Random(1)
	sum := 0
	for b.Loop() {
		sum += s.Choose("x", 28)
	}
	_ = sum
}

func TestDone(t *testing.T) {
	s := From(NewBytes([]byte{7, 1, 2}))
	for i, want := range []bool{false, false, true} {
		if got := s.Done(); got != want {
			t.Errorf("before choice %d: done is %v, want %v", i, got, want)
		}
		s.Choose("x", 1<<(8*(i+1)))
	}
	if Random(1).Done() {
		t.Error("a random source is done")
	}
	if From(&Tape{}).Done() {
		t.Error("a tape is done: it answers zero without end")
	}
}
