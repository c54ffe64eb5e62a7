package exhaustive

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"foray.test/engine/draw"
)

// Cases are the cases of a generator or of a search. Set the fields before the first
// call of a method.
type Cases[T any] struct {
	// Workers is the number of goroutines, 1 if it is 0. Each has its own C. The
	// generator, the predicate and functions given to Each or Test run in all of them.
	Workers int

	// Limit is the number of runs after which a walk ends with an error, 1<<32 if it is
	// 0. A walk that is estimated to be longer ends after 1<<20 runs.
	Limit int64

	// Depth drops cases of more choices, if it is not 0. Otherwise more than 10,000
	// choices are an error.
	Depth int

	// ShortestFirst walks the cases in the order of their number of choices. It runs
	// the generator again for each number. Otherwise the order is lexicographic.
	ShortestFirst bool

	start func(*C) func() T // prepares c, and returns a function that runs a case
}

// Generate returns the cases of a generator, a function that asks c for choices.
func Generate[T any](gen func(c *C) T) *Cases[T] {
	return &Cases[T]{start: func(c *C) func() T { return func() T { return gen(c) } }}
}

// Convert returns the cases of s, with values that f makes of those of s.
func Convert[T, U any](s *Cases[T], f func(T) U) *Cases[U] {
	return &Cases[U]{
		Workers: s.Workers, Limit: s.Limit, Depth: s.Depth, ShortestFirst: s.ShortestFirst,
		start: func(c *C) func() U {
			run := s.start(c)
			return func() (u U) {
				if v := run(); !c.dropped {
					u = f(v)
				}
				return u
			}
		},
	}
}

const (
	smallRuns  = 1 << 13 // of the walk that Small makes, some milliseconds
	smallCases = 1 << 12
)

// Small returns a function that makes the i-th case, counted round, for the largest
// bound n that takes only some thousand runs. cases returns the cases for a bound. So
// random tests begin with structures that calls reach late or never. The function may be
// called by several goroutines, and returns the zero value if there is no case.
func Small[T any](cases func(n int) *Cases[T]) func(i int) T {
	type known struct {
		c     *C
		run   func() T
		tapes [][]choice
	}
	find := sync.OnceValue(func() (best known) {
		for n := 1; n <= 64; n++ {
			of := cases(n)
			of.Workers, of.Limit = 1, smallRuns
			var tapes [][]choice
			_, err := of.Each(func(c *C, _ T) error {
				if len(tapes) == smallCases {
					return errStop
				}
				tapes = append(tapes, slices.Clone(c.made))
				return nil
			})
			if err != nil {
				break
			}
			if len(tapes) > 0 {
				best.c, best.run = of.newC()
				best.tapes = tapes
			}
		}
		return best
	})
	var mu sync.Mutex
	return func(i int) (v T) {
		k := find()
		if len(k.tapes) == 0 {
			return v
		}
		mu.Lock()
		defer mu.Unlock()
		k.c.load(k.tapes[uint(i)%uint(len(k.tapes))])
		v, _ = once(k.c, k.run)
		return v
	}
}

// All ranges over the values of a generator in lexicographic order of the choices:
// the last one changes first. It panics with a line of text if gen cannot be
// enumerated, for example because it is not deterministic.
func All[T any](gen func(c *C) T) iter.Seq2[*C, T] { return Generate(gen).All() }

// Stats are the counts of a walk.
type Stats struct {
	Cases int64 // that were visited
	Runs  int64 // of the generator or the predicate, dropped cases included
	Cut   int64 // runs that Depth cut short
}

var errStop = errors.New("stop")

// All ranges over the cases. It panics like the function All. Workers does not
// apply: the body of a loop runs on one goroutine.
func (s *Cases[T]) All() iter.Seq2[*C, T] {
	return func(yield func(*C, T) bool) {
		one := *s
		one.Workers = 1
		_, err := one.Each(func(c *C, v T) error {
			if !yield(c, v) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			panic(err)
		}
	}
}

// Each calls visit for every case until it returns an error. The error that Each
// returns names the case, the first one in the order of the walk, whatever the number
// of workers.
func (s *Cases[T]) Each(visit func(c *C, v T) error) (Stats, error) {
	stats, fail := s.walk(visit)
	if fail != nil {
		return stats, fail
	}
	return stats, nil
}

// Count walks the cases and counts them.
func (s *Cases[T]) Count() (Stats, error) {
	return s.Each(func(*C, T) error { return nil })
}

// newC returns a C for one goroutine, and the function that runs its case.
func (s *Cases[T]) newC() (*C, func() T) {
	c := &C{max: maxChoices}
	if s.Depth > 0 {
		c.max, c.cut = s.Depth, true
	}
	return c, s.start(c)
}

// once runs the case that c stands at, and reports whether it counts.
func once[T any](c *C, run func() T) (v T, ok bool) {
	defer c.rescue()
	c.begin()
	v = run()
	c.running = false
	return v, !c.dropped && c.err == nil
}

// rescue ends a panic of the generator or the predicate. It must be deferred.
func (c *C) rescue() {
	if !c.running {
		return
	}
	if r := recover(); r != nil && !c.unwinding {
		c.err = fmt.Errorf("panic in the generator or the predicate at %s: %v", placeOf(4), r)
	}
	c.running = false
	if c.err != nil {
		c.dropped = true
	}
}

// Replay runs the case of an identity once. Choices that the identity does not have
// are zero.
func (s *Cases[T]) Replay(id string) (T, error) {
	c, run := s.newC()
	given, err := parse(id)
	if err != nil {
		var none T
		return none, err
	}
	c.load(given)
	v, ok := once(c, run)
	switch {
	case c.err != nil:
		err = c.err
	case !ok:
		err = errors.New("the case is dropped")
	case len(c.made) < len(given):
		err = fmt.Errorf("the identity has %d choices, but the case %d", len(given), len(c.made))
	}
	if err != nil {
		return v, fmt.Errorf("exhaustive: case %s: %w", id, err)
	}
	return v, nil
}

// Decode runs the case that the bytes of a fuzz input stand for: each choice takes as
// many as it needs. It reports false if the case is dropped, and panics like All.
// [C.Bytes] goes the other way.
func (s *Cases[T]) Decode(data []byte) (c *C, v T, ok bool) {
	c, run := s.newC()
	c.beyond = draw.From(draw.NewBytes(data))
	v, ok = once(c, run)
	if c.err != nil {
		panic(&failure{at: c.made, err: c.err})
	}
	return c, v, ok
}
