package exhaustive

import (
	"fmt"

	"foray.test/engine/draw"
)

const (
	maxChoices = 10_000  // of one case, if Cases.Depth is zero
	maxReads   = 1 << 24 // of cells in one run
)

// A C answers the choices of one case. Its String is the identity of the case. A
// generator must ask the same questions whenever it gets the same answers.
//
// A C is a [draw.Chooser]. So generators that ask a [draw.Source] enumerate, too.
type C struct {
	tape
	next    int          // the choice of made that is asked next
	max     int          // the choices that a run may make
	cut     bool         // more than max choices: drop the case, as Cases.Depth says
	beyond  *draw.Source // answers after given: all zero if it is nil
	lenient bool         // given is adapted to the questions, not checked

	dropped   bool  // the case does not count
	tooLong   bool  // dropped by max
	unwinding bool  // by a panic of this package
	running   bool  // the generator or the predicate
	err       error // the generator is not fit to be enumerated
	source    *draw.Source

	trace bool // note where choices are made
	sites []string
	tells bool // note what was chosen
	told  []string

	cells
}

type abandoned struct{}

// String returns the identity of the case.
func (c *C) String() string { return format(c.made) }

// Choose returns a value in [0, n), n > 0. It does not use the label, which is for
// other sources.
func (c *C) Choose(_ string, n int) int { return c.pick(0, n) }

// pick returns a choice among n values, of which the first is told as lo.
func (c *C) pick(lo, n int) int {
	if i := c.next; i < len(c.made) && c.made[i].n == n {
		c.next++
		return c.made[i].value
	}
	if n == 1 && c.running && !c.tells {
		return 0
	}
	return c.grow(lo, n)
}

// Int returns a value from lo to hi, both included.
func (c *C) Int(lo, hi int) int { return lo + c.pick(lo, hi-lo+1) }

// Bool returns false or true.
func (c *C) Bool() bool { return c.Choose("", 2) == 1 }

// OneOf returns one of the values.
func OneOf[T any](c *C, values ...T) T {
	v := values[c.pick(0, len(values))]
	if c.tells {
		c.told[len(c.told)-1] = fmt.Sprintf("%+v", v)
	}
	return v
}

// Source returns a source whose choices are those of the case.
func (c *C) Source() *draw.Source {
	if c.source == nil {
		c.source = draw.From(c)
	}
	return c.source
}

// Assume drops the case unless ok holds. It ends the generator by a panic, which
// takes some 300 ns. Where that counts, call [C.Drop] and return.
func (c *C) Assume(ok bool) {
	if !ok {
		c.abandon()
	}
}

// Drop marks the case as dropped: [Cases.All] and the others pass it over.
func (c *C) Drop() { c.dropped = true }

func (c *C) abandon() {
	if !c.running {
		panic("exhaustive: an assumption outside the generator")
	}
	c.dropped, c.unwinding = true, true
	panic(abandoned{})
}

// fail ends the walk: the generator cannot be enumerated.
func (c *C) fail(err error) {
	if !c.running {
		panic(fmt.Sprintf("exhaustive: %v", err))
	}
	c.err = err
	c.abandon()
}

func (c *C) failf(format string, args ...any) { c.fail(fmt.Errorf(format, args...)) }

// grow answers a question that no earlier run has asked at this place.
func (c *C) grow(lo, n int) int {
	at := c.next
	switch {
	case n == 1 && c.running:
		c.told = append(c.told, fmt.Sprint(lo))
		return 0
	case !c.running:
		panic(fmt.Sprintf("exhaustive: %s: a choice outside the generator or the predicate", c.place()))
	case n < 1:
		c.failf("%s: a choice among %d values: every domain needs one", c.place(), n)
	case at < len(c.made):
		c.fail(&differing{at: at, want: c.made[at].n, got: n, site: c.place()})
	case at >= c.max && c.cut:
		c.tooLong = true
		c.abandon()
	case at >= c.max:
		c.failf("%s: more than %d choices in one case: bound the recursion, or set Depth to drop long cases", c.place(), c.max)
	}
	x := choice{end: n, n: n}
	switch {
	case at >= len(c.given):
		if c.beyond != nil {
			x.value = c.beyond.Choose("", n)
		}
	case c.lenient:
		x.value = min(c.given[at].value, n-1)
	case c.given[at].n == n:
		x = c.given[at]
	case c.given[at].n > 0:
		c.fail(&differing{at: at, want: c.given[at].n, got: n, site: c.place()})
	case c.given[at].value >= n:
		c.failf("choice %d of the identity is %d, but at %s there are %d values", at+1, c.given[at].value, c.place(), n)
	default:
		x.value = c.given[at].value
	}
	if c.trace {
		c.sites = append(c.sites, c.place())
	}
	if c.tells {
		c.told = append(c.told, fmt.Sprint(lo+x.value))
	}
	c.made = append(c.made, x)
	c.next++
	return x.value
}

// begin prepares the run of the case that the tape stands at.
func (c *C) begin() {
	c.dropped, c.tooLong, c.unwinding, c.running = false, false, false, true
	c.reads = maxReads
	c.next = 0
	if c.keep {
		c.next = len(c.made)
	}
}

// advance moves to the next case.
func (c *C) advance() bool {
	ok := c.tape.advance()
	if c.keep {
		c.undo(len(c.made) - 1)
	}
	return ok
}

// load makes the run that follows begin with the given answers.
func (c *C) load(given []choice) {
	c.made, c.given = c.made[:0], given
	c.sites = c.sites[:0]
	c.err = nil
	if c.keep {
		c.undo(-1)
	}
}

// Bytes returns the input for which [Cases.Decode] makes this case: a seed for a
// fuzz test.
func (c *C) Bytes() []byte {
	var b []byte
	for _, x := range c.made {
		size := 0
		for span := uint64(x.n - 1); span > 0; span >>= 8 {
			size++
		}
		for size--; size >= 0; size-- {
			b = append(b, byte(uint64(x.value)>>(8*size)))
		}
	}
	return b
}
