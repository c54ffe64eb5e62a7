package engine

// A balance divides the work between one activity and the rest, by their yields. Work is
// counted in steps, as equal runs must have equal histories; a run costs some on top.
type balance struct {
	activity, rest effort
	owed           float64 // work that the activity may do before the rest goes on
}

// An effort counts recent work and its gain in sides.
type effort struct {
	work, gain float64
}

// yield is the gain of a unit of work, as if newWork more had gained so much more.
func (e *effort) yield(more float64) float64 { return (e.gain + more) / (e.work + newWork) }

// due reports whether the next unit of work is the activity's.
func (b *balance) due() bool { return b.owed >= 0 }

// workOf returns the work of a run, by its steps and the fuel that it used.
func workOf(steps int, fuel int64) float64 { return float64(runWork+steps) + float64(fuel)/stepFuel }

// others takes in work of the rest, and what it gained. The activity may then do as much
// work, or less by its yield.
func (b *balance) others(work, gain float64) {
	b.rest.work += work
	b.rest.gain += gain
	b.owed += work * min(max(b.activity.yield(newGain)/b.rest.yield(1), minShare), maxShare)
	if b.activity.work+b.rest.work > effortWork {
		for _, e := range []*effort{&b.activity, &b.rest} {
			e.work, e.gain = e.work/2, e.gain/2
		}
	}
}

// spent takes in work of the activity.
func (b *balance) spent(work float64) {
	b.activity.work += work
	b.owed -= work
}

// gained takes in that the activity gained so much.
func (b *balance) gained(gain float64) { b.activity.gain += gain }

// A usage divides composing between sequences that take up what the package's tests do and
// plain ones. Of the first kind are the sequences of the tests themselves; those that start
// from an entry of theirs; and those that draw their literals and components. Half of the
// work is plain at least.
type usage struct {
	balance
	known bool    // something of the tests is
	start float64 // work of the tests' own sequences that does not count yet
}

// due reports whether the next composed sequence takes up what tests do.
func (u *usage) due() bool { return u.known && u.balance.due() }

// seeded takes in a sequence of the tests. The first ones have a head start.
func (u *usage) seeded(work, gain float64) {
	u.spent(work)
	u.gained(gain)
	if u.start > 0 {
		u.start -= work
		u.owed += work
	}
}

// composed takes in a composed sequence.
func (u *usage) composed(used bool, work, gain float64) {
	switch {
	case used:
		u.spent(work)
		u.gained(gain)
	case u.known:
		u.others(work, gain)
	}
}
