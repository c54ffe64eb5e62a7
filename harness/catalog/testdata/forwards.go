// Package forwards has functions that hand their arguments on.
package forwards

// T is a type.
type T struct{ list []int }

// Put puts.
func (t *T) Put(list ...int) { t.list = append(t.list, list...) }

// Add is Put.
func (t *T) Add(list ...int) { t.Put(list...) }

// Two is not: it takes another.
func (t *T) Two(a, b int) { t.put(b, a) }

// Swap is not: it changes the order.
func (t *T) Swap(a, b int) int { return t.Sum(b, a) }

// Sum adds.
func (t *T) Sum(a, b int) int { return a + b }

// Total is Sum.
func (t *T) Total(a, b int) (c int) { return (t.Sum(a, b)) }

func (t *T) put(list ...int) { t.Put(list...) }

// New makes a T.
func New(n int) *T { return &T{make([]int, 0, max(0, min(n, 10)))} }

// Make is New.
func Make(n int) *T { return New(n) }

// Half is not.
func Half(n int) *T { return New(n / 2) }

// Pair is a pair.
type Pair[K any] struct{ k K }

// Of makes a pair.
func Of[K any](k K) Pair[K] { return Pair[K]{k} }

// From is Of.
func From[K any](k K) Pair[K] { return Of[K](k) }

// Key returns the key.
func (p Pair[K]) Key() K { return p.k }

// Get is Key.
func (p Pair[K]) Get() K { return p.Key() }
