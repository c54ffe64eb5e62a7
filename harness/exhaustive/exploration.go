package exhaustive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"foray.test/harness/digest"
)

// An exploration is the search itself.
type exploration[S any] struct {
	Explored
	calls    *Calls[S]
	visit    func(*C, ran[S]) error // after each call
	isNew    func(*C, S) error      // after each that leaves a new state; nil does nothing
	c        *C
	digester *digest.Digester
	seen     map[uint64]struct{}
	open     []byte // states that are yet to be extended: see push
	given    []choice
	extended int64
	fail     *failure
	begun    time.Time
}

const (
	manyStates = 1 << 20
	maxNodes   = 1 << 16 // of a state
)

func (x *Calls[S]) newExploration(visit func(*C, ran[S]) error) *exploration[S] {
	c, _ := x.cases().newC()
	return &exploration[S]{
		calls: x, visit: visit, c: c, seen: map[uint64]struct{}{}, begun: time.Now(),
		digester: digest.New(digest.Limits{MaxNodes: maxNodes, MaxBytes: 1 << 20, Shape: x.Shape}),
	}
}

// run extends the states in order, beginning with the one of no call.
func (e *exploration[S]) run() {
	c := e.c
	if len(e.calls.ops) == 0 {
		e.fail = &failure{beyond: true, err: errors.New("no operations")}
		return
	}
	c.load([]choice{{end: 1, n: e.calls.depth() + 1}})
	if e.edge(); e.fail != nil {
		return
	}
	e.Transitions = 0 // no call was made
	for depth := 0; depth < e.calls.depth() && len(e.open) > 0; depth++ {
		level := e.open
		for e.open = nil; len(level) > 0; {
			var given []choice
			given, level = e.pop(level, depth)
			if e.extend(given, depth); e.fail != nil {
				return
			}
		}
		e.Depth = depth + 1
	}
	e.Depth = e.calls.depth()
}

// extend runs all calls that extend a state.
func (e *exploration[S]) extend(given []choice, depth int) {
	c := e.c
	c.load(given)
	hash, _ := e.once()
	if _, known := e.seen[hash]; e.stop(!known && !c.dropped) {
		return
	}
	from := slices.Clone(c.made)
	for i := range from {
		from[i].end = from[i].value + 1
	}
	from[0].value, from[0].end = depth+1, depth+2
	c.load(from)
	e.extended++
	for e.edge(); e.fail == nil && c.advance(); {
		e.edge()
	}
}

// stop ends the exploration if the run of c shows that it cannot be enumerated, or changed.
func (e *exploration[S]) stop(changed bool) bool {
	c := e.c
	if c.err == nil && c.next < len(c.made) {
		c.err = &differing{at: c.next, want: c.made[c.next].n}
	}
	if c.err == nil && changed {
		c.err = errors.New("not deterministic: the calls have left another state when they were run again (map order, time, random numbers, state that is left?)")
	}
	if c.err != nil {
		e.fail = &failure{at: slices.Clone(c.made), err: c.err}
		var d *differing
		if errors.As(c.err, &d) && d.earlier == "" {
			d.earlier = e.calls.cases().siteOf(e.fail.at[:d.at], d.want)
		}
	}
	return e.fail != nil
}

// once runs the sequence that c stands at, and digests the state.
func (e *exploration[S]) once() (hash uint64, r ran[S]) {
	c := e.c
	c.begin()
	r = e.calls.run(c)
	if c.running = false; c.dropped || c.err != nil || r.err != nil {
		return 0, r
	}
	var key any = r.state
	if e.calls.Abstract != nil {
		key = e.calls.Abstract(r.state)
	}
	d := e.digester.Sum(key)
	if d.Truncated {
		c.err = fmt.Errorf("a state of more than %d parts: set Abstract", maxNodes)
	}
	return d.Hash, r
}

// edge runs one call that extends a state.
func (e *exploration[S]) edge() {
	c := e.c
	hash, r := e.once()
	if e.Transitions++; e.stop(false) || e.Transitions&(pauseEvery-1) == 0 && e.pause() {
		return
	}
	if c.dropped {
		e.Dropped++
		return
	}
	if err := e.visit(c, r); err != nil {
		e.fail = &failure{at: slices.Clone(c.made), err: err, found: true}
		return
	}
	if _, known := e.seen[hash]; known {
		return
	}
	e.seen[hash] = struct{}{}
	e.States++
	if e.isNew != nil {
		if err := e.isNew(c, r.state); err != nil {
			e.fail = &failure{at: slices.Clone(c.made), err: err, found: true}
			return
		}
	}
	if most := cmp.Or(e.calls.States, manyStates); int(e.States) > most {
		e.beyond("%d states: use smaller bounds, an abstraction, or raise States", most)
		return
	}
	e.push()
}

// pause looks at the limit of transitions. The states that are known will have as many as
// those before them, at least about.
func (e *exploration[S]) pause() bool {
	limit := cmp.Or(e.calls.Limit, defaultLimit)
	expected := float64(e.Transitions)
	if e.extended > 0 {
		expected *= float64(e.States) / float64(e.extended)
	}
	if e.Transitions >= limit || e.Transitions >= estimateAfter && expected > float64(limit) {
		each := time.Since(e.begun).Seconds() / float64(e.Transitions)
		e.beyond("%d transitions: at least about %.1g are to be expected, which take %s: use smaller bounds or raise Limit",
			limit, expected, long(expected*each))
	}
	return e.fail != nil
}

// beyond ends the exploration at a bound, and says how far it came.
func (e *exploration[S]) beyond(format string, args ...any) {
	e.fail = &failure{beyond: true, err: fmt.Errorf("more than "+format+"; %s", append(args, &e.Explored)...)}
}

// push keeps the sequence of c to be extended.
func (e *exploration[S]) push() {
	made := e.c.made[1:]
	e.open = binary.AppendUvarint(e.open, uint64(len(made)))
	for _, x := range made {
		e.open = binary.AppendUvarint(e.open, uint64(x.value))
	}
}

// pop returns the first sequence of a level, of so many calls, and the others.
func (e *exploration[S]) pop(level []byte, depth int) (given []choice, rest []byte) {
	next := func() int {
		v, n := binary.Uvarint(level)
		level = level[n:]
		return int(v)
	}
	given = append(e.given[:0], choice{value: depth})
	for range next() {
		given = append(given, choice{value: next()})
	}
	e.given = given
	return given, level
}
