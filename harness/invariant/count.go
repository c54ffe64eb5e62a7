package invariant

import (
	"fmt"

	"foray.test/engine/seq"
)

// A law is a candidate with its counts, by the operation that was called.
type law struct {
	units map[string]*unit // by member: the instances of a generic function are one
	order []*unit
}

// A unit counts the distinct contexts of a law for one operation, in all its instances.
type unit struct {
	law      *law
	op       seq.OpID
	excused  bool // its documentation says that it does what breaks the law
	n        int  // contexts
	broken   int  // … in which the law did not hold
	contexts map[uint64]bool
	held     map[string]int // contexts in which it held, by the class of the results
}

// The bounds of belief. A law counts as kept by an operation that keeps it in 99 % of at
// least rareContexts contexts. It counts as kept by a package in which six operations
// always keep it for each one that does not: each in fewContexts at least, and in
// unitContexts on average.
const (
	rareContexts   = 200
	rarePercent    = 1
	decodedPercent = 2  // … of what encoding/json keeps
	likeContexts   = 20 // … with results of the same class
	fewContexts    = 3
	unitContexts   = 10
	fewUnits       = 6
	// Two objects of one type share nothing if so few calls on one of them show in the other.
	mixedContexts = 100
	mixedPercent  = 20
	maxContexts   = 1 << 10 // that held: breaches count always
)

// count counts an outcome, unless its context was seen before.
func (l *Learner) count(o *outcome) *unit {
	w := l.laws[o.name+o.key]
	if w == nil {
		w = &law{units: map[string]*unit{}}
		l.laws[o.name+o.key] = w
	}
	member := l.Table.Ops[o.unit].Member
	u := w.units[member]
	if u == nil {
		u = &unit{law: w, op: o.unit, excused: l.Excuses(o.unit, o.arg), contexts: map[uint64]bool{}, held: map[string]int{}}
		w.units[member] = u
		w.order = append(w.order, u)
	}
	if u.contexts[o.context] || o.breach == nil && len(u.contexts) >= maxContexts {
		return u
	}
	u.contexts[o.context] = true
	u.n++
	if o.breach != nil {
		u.broken++
	} else {
		u.held[o.class]++
	}
	return u
}

func (l *Learner) unitOf(o *outcome) (*unit, bool) {
	w := l.laws[o.name+o.key]
	if w == nil {
		return nil, false
	}
	u, ok := w.units[l.Table.Ops[o.unit].Member]
	return u, ok
}

// proved reports whether the law of a breach has proved itself.
func (u *unit) proved(o *outcome) bool { return u.rare(o) || u.deviates(o) || u.mixes(o) }

// rare reports whether the operation itself keeps the law, but for a few contexts. Calls
// that return something else, such as true instead of false, are none of the same.
func (u *unit) rare(o *outcome) bool {
	if o.name == decoded {
		n, broken := u.law.total() // what is encoded is the same, whichever call left it
		return n >= rareContexts && broken*100 <= n*decodedPercent
	}
	return !u.excused && u.n >= rareContexts && u.broken*100 <= u.n*rarePercent && u.held[o.class] >= likeContexts
}

// deviates reports whether the operations of the package keep the law, but for this one.
func (u *unit) deviates(o *outcome) bool {
	if !acrossOperations(o.name) {
		return false
	}
	clean, dirty, contexts := u.law.kept()
	need := fewUnits
	if o.name == othersKept {
		need *= 2 // much is shared by design
	}
	return !u.excused && clean >= need*dirty && contexts >= unitContexts*need*dirty && u.broken > 0
}

// mixes reports whether one of two objects of one type shows some changes of the other and
// mostly none: then it is neither a copy nor a view.
func (u *unit) mixes(o *outcome) bool {
	n, broken := u.law.total()
	return o.copies && n >= mixedContexts && broken*100 <= n*mixedPercent
}

// acrossOperations reports whether all operations may be expected to keep a law because
// the others do.
func acrossOperations(name string) bool {
	switch name {
	case again, decoded:
		return false
	}
	return true
}

// kept counts the operations that keep the law always, and those that do not. Those with
// an excuse are not counted. Contexts are those of the operations that keep it.
func (w *law) kept() (clean, dirty, contexts int) {
	for _, u := range w.order {
		switch {
		case u.excused:
		case u.broken > 0:
			dirty++
		case u.n >= fewContexts:
			clean++
			contexts += u.n
		}
	}
	return clean, dirty, contexts
}

// evidence returns the counts of a breach in words.
func (u *unit) evidence(t *seq.Table, o *outcome) string {
	if o.name == decoded && u.rare(o) || !u.rare(o) && !u.deviates(o) {
		n, broken := u.law.total()
		return fmt.Sprintf("it holds in %d of %d contexts", n-broken, n)
	}
	if u.rare(o) {
		return fmt.Sprintf("%s keeps it in %d of %d contexts", t.Ops[u.op].Short, u.n-u.broken, u.n)
	}
	clean, dirty, _ := u.law.kept()
	return fmt.Sprintf("%d of %d operations always keep it; %s does not in %d of %d contexts", clean, clean+dirty, t.Ops[u.op].Short, u.broken, u.n)
}

// total returns the contexts of a law, over all operations.
func (w *law) total() (n, broken int) {
	for _, u := range w.order {
		n, broken = n+u.n, broken+u.broken
	}
	return n, broken
}
