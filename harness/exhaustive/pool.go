package exhaustive

// A Pool is a set of objects that are alike until a generator has taken them. The first
// new object stands for all new ones, so no two cases differ in the identity of
// objects only [Gligoric09 §4.2].
type Pool[T any] struct {
	c     *C
	max   int
	taken []*T
}

// NewPool returns a pool of max objects, of any number if max is negative.
func NewPool[T any](c *C, max int) *Pool[T] { return &Pool[T]{c: c, max: max} }

// New returns an object that the pool has not returned before. It drops the case if
// there is none.
func (p *Pool[T]) New() *T {
	p.c.Assume(len(p.taken) != p.max)
	p.taken = append(p.taken, new(T))
	return p.taken[len(p.taken)-1]
}

// Any returns any object of the pool.
func (p *Pool[T]) Any() *T { return p.pick(p.c.Choose("", p.size())) }

// AnyOrNil returns nil or any object of the pool.
func (p *Pool[T]) AnyOrNil() *T {
	if i := p.c.Choose("", p.size()+1); i > 0 {
		return p.pick(i - 1)
	}
	return nil
}

// size returns the number of objects to choose from.
func (p *Pool[T]) size() int {
	if len(p.taken) == p.max {
		return p.max
	}
	return len(p.taken) + 1
}

func (p *Pool[T]) pick(i int) *T {
	if i == len(p.taken) {
		return p.New()
	}
	return p.taken[i]
}

// Taken returns the objects that the pool has returned, in order.
func (p *Pool[T]) Taken() []*T { return p.taken }

// A DelayedPool is a Pool whose objects are chosen when they are first used. Its cases
// have the same aliases as those of a Pool, whatever the order of use. A generator
// that assumes something of a few objects has fewer runs.
//
// [Gligoric09 figures 11 and 12], with two repairs. There, an object of New could be
// one that an earlier New had returned, and the number of objects that are needed
// started one too low.
type DelayedPool[T any] struct {
	c       *C
	max     int
	objects []*T
	levels  [][]*Delayed[T] // New opens a level, Any is added to the last one
	need    int             // the least number of objects that calls and choices need
}

// A Delayed is an object of a DelayedPool that may not be chosen yet.
type Delayed[T any] struct {
	pool   *DelayedPool[T]
	level  int
	head   bool // of its level: the result of New
	object int  // -1: not chosen
}

// NewDelayedPool returns a pool of max objects.
func NewDelayedPool[T any](c *C, max int) *DelayedPool[T] {
	return &DelayedPool[T]{c: c, max: max}
}

// New returns an object that no earlier call has returned. It drops the case if the
// pool has not got so many.
func (p *DelayedPool[T]) New() *Delayed[T] {
	p.need++
	p.c.Assume(p.need <= p.max)
	d := &Delayed[T]{pool: p, level: len(p.levels), head: true, object: -1}
	p.levels = append(p.levels, []*Delayed[T]{d})
	return d
}

// Any returns any object of the pool.
func (p *DelayedPool[T]) Any() *Delayed[T] {
	if len(p.levels) == 0 {
		return p.New()
	}
	last := len(p.levels) - 1
	d := &Delayed[T]{pool: p, level: last, object: -1}
	p.levels[last] = append(p.levels[last], d)
	return d
}

// Get returns the object. The first call chooses it.
func (d *Delayed[T]) Get() *T {
	if d.object < 0 {
		d.pool.choose(d)
	}
	return d.pool.objects[d.object]
}

func (p *DelayedPool[T]) choose(d *Delayed[T]) {
	candidates := p.candidates(d)
	if i := p.c.Choose("", len(candidates)+1); i < len(candidates) {
		d.object = candidates[i]
	} else {
		d.object = len(p.objects)
		p.objects = append(p.objects, new(T))
	}
	p.need = p.needed()
	p.c.Assume(p.need <= p.max)
}

// candidates returns the chosen objects that d may be equal to.
func (p *DelayedPool[T]) candidates(d *Delayed[T]) []int {
	may := make([]bool, len(p.objects))
	for i := range may {
		may[i] = !d.head // Any may be equal to each but those of later calls of New
	}
	mark := func(from, to int, value bool, counts func(x *Delayed[T]) bool) {
		for _, level := range p.levels[from:to] {
			for _, x := range level {
				if x.object >= 0 && counts(x) {
					may[x.object] = value
				}
			}
		}
	}
	if d.head {
		mark(d.level, len(p.levels), true, func(x *Delayed[T]) bool { return !x.head })
		mark(0, d.level, false, func(*Delayed[T]) bool { return true })
	}
	mark(d.level+1, len(p.levels), false, func(x *Delayed[T]) bool { return x.head })
	var list []int
	for i, ok := range may {
		if ok {
			list = append(list, i)
		}
	}
	return list
}

// needed returns the size of the smallest pool that allows the choices made. The objects
// up to a level, and the heads of the levels above, are distinct.
func (p *DelayedPool[T]) needed() int {
	most, distinct := len(p.levels), 0
	seen := make([]bool, len(p.objects))
	for i, level := range p.levels {
		for _, x := range level {
			if x.object >= 0 && !seen[x.object] {
				seen[x.object] = true
				distinct++
			}
		}
		most = max(most, distinct+len(p.levels)-1-i)
	}
	return most
}
