package engine

// A balance divides the work between attempts and composition, by their yields. Work is
// counted in steps, as equal runs must have equal histories; a run costs some on top.
type balance struct {
	aiming, composing effort
	owed              float64 // work that attempts may do before composition goes on
	values            uint64  // made by composition, so far
}

// An effort counts the recent work of attempts, or of composition, and its gain in sides.
type effort struct {
	work, gain float64
}

// yield is the gain of a unit of work, as if newWork more had gained so much more.
func (e *effort) yield(more float64) float64 { return (e.gain + more) / (e.work + newWork) }

func newBalance() balance { return balance{owed: -headStart} }

// due reports whether the next unit of work is an attempt and not a composed sequence.
func (b *balance) due() bool { return b.owed >= 0 }

// workOf returns the work of a run, by its steps and the fuel that it used.
func workOf(steps int, fuel int64) float64 { return float64(runWork+steps) + float64(fuel)/stepFuel }

// composed takes in that so much work went into a composed sequence. It took new sides;
// all sequences together have made so many distinct values.
func (b *balance) composed(work float64, sides int, values uint64) {
	b.composing.work += work
	b.composing.gain += float64(sides) + float64(values-b.values)/valuesPerSide
	b.values = values
	b.owed += work * min(max(b.aiming.yield(newGain)/b.composing.yield(1), minShare), maxShare)
	if b.aiming.work+b.composing.work > effortWork {
		for _, e := range []*effort{&b.aiming, &b.composing} {
			e.work, e.gain = e.work/2, e.gain/2
		}
	}
}

// spent takes in the work of a run of an attempt.
func (b *balance) spent(work float64) {
	b.aiming.work += work
	b.owed -= work
}

// took takes in that an attempt has taken so many new sides.
func (b *balance) took(sides int) { b.aiming.gain += float64(sides) }
