// Package draw is the one source of choices. All code that composes or edits a
// sequence asks a [Source]. Its answers may be random, recorded, enumerated or solved,
// so the same code generates and replays.
package draw

import "math/bits"

// A Chooser answers choices that are not random: a recording, an enumeration.
type Chooser interface {
	// Choose returns a value in [0, n). n > 0. label names the choice.
	Choose(label string, n int) int
}

// An Ender is a Chooser that can run out of answers.
type Ender interface {
	Chooser
	// Done reports whether all that was recorded has been given as an answer.
	Done() bool
}

// A Source answers choices. It is a struct and not an interface because the
// random source is asked several times a step. The zero value is the random source
// of seed 0.
type Source struct {
	state   uint64
	chooser Chooser
	ender   Ender // chooser, if it is one
}

// Random returns the pseudo-random source of a seed.
func Random(seed uint64) *Source {
	s := &Source{state: seed}
	s.state = s.Uint64() ^ seed
	return s
}

// From returns a source that asks c.
func From(c Chooser) *Source {
	ender, _ := c.(Ender)
	return &Source{chooser: c, ender: ender}
}

// Done reports whether the source has run out. From then on every answer is zero. A
// random source never runs out.
func (s *Source) Done() bool { return s.ender != nil && s.ender.Done() }

// Stream returns the seed of worker i of a run with the given seed.
func Stream(seed uint64, i int) uint64 {
	s := Source{state: seed + 0x9e3779b97f4a7c15*uint64(i+1)}
	return s.Uint64()
}

// Choose returns a value in [0, n). 0 < n <= 1<<32. label names the choice in
// recordings. The compiler inlines it for no generator: a call in the other branch takes
// the whole budget. So several choices of a step are better made at once, of a larger n.
func (s *Source) Choose(label string, n int) int {
	if s.chooser != nil {
		return s.chooser.Choose(label, n)
	}
	s.state += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(s.state, s.state^0xe7037ed1a0b428db)
	return int((hi ^ lo) >> 32 * uint64(n) >> 32)
}

// Uint64 returns 64 bits, all of which a random source draws at once.
func (s *Source) Uint64() uint64 {
	if s.chooser != nil {
		return uint64(s.chooser.Choose("hi", 1<<32))<<32 | uint64(s.chooser.Choose("lo", 1<<32))
	}
	s.state += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(s.state, s.state^0xe7037ed1a0b428db)
	return hi ^ lo
}

// OneIn reports true once in n times.
func (s *Source) OneIn(label string, n int) bool { return s.Choose(label, n) == 0 }

// A Tape answers choices from recorded ones, each taken modulo n, and with zero
// once it has run out. It keeps the questions for tests to look at.
type Tape struct {
	Choices []int
	Asked   []string
}

// Choose implements [Chooser].
func (t *Tape) Choose(label string, n int) int {
	t.Asked = append(t.Asked, label)
	if len(t.Asked) > len(t.Choices) {
		return 0
	}
	return t.Choices[len(t.Asked)-1] % n
}

// Bytes answers choices from the bytes of a fuzz input, as many as a choice
// needs, and with zero once they have run out.
type Bytes struct {
	rest []byte
}

// NewBytes returns a chooser over b, which it does not change.
func NewBytes(b []byte) *Bytes { return &Bytes{rest: b} }

// Choose implements [Chooser].
func (b *Bytes) Choose(_ string, n int) int {
	v := uint64(0)
	for span := uint64(n - 1); span > 0; span >>= 8 {
		if len(b.rest) == 0 {
			break
		}
		v = v<<8 | uint64(b.rest[0])
		b.rest = b.rest[1:]
	}
	return int(v % uint64(n))
}

// Done implements [Ender].
func (b *Bytes) Done() bool { return len(b.rest) == 0 }
