package engine

// A balance divides the steps between attempts and composition, by their yields.
type balance struct {
	aiming, composing effort
	owed              float64 // steps that attempts may take before composition goes on
}

// An effort counts the recent steps of attempts, or of composition, and the sides taken.
type effort struct {
	steps, sides float64
}

func (e *effort) add(steps, sides int) {
	e.steps += float64(steps)
	e.sides += float64(sides)
}

// yield is the sides taken a step, as if newSteps more had taken one more. An effort
// that was hardly tried is as good as the best.
func (e *effort) yield() float64 { return (e.sides + 1) / (e.steps + newSteps) }

func newBalance() balance { return balance{owed: -headSteps} }

// due reports whether the next unit of work is an attempt and not a composed sequence.
func (b *balance) due() bool { return b.owed >= 0 }

// composed takes in that a sequence was composed beside attempts.
func (b *balance) composed(steps, sides int) {
	b.composing.add(steps, sides)
	b.owed += float64(steps) * min(max(b.aiming.yield()/b.composing.yield(), 1.0/maxShare), maxShare)
	if b.aiming.steps+b.composing.steps > effortSteps {
		for _, e := range []*effort{&b.aiming, &b.composing} {
			e.steps, e.sides = e.steps/2, e.sides/2
		}
	}
}

// spent takes in that attempts have run so many steps.
func (b *balance) spent(steps int) {
	b.aiming.add(steps, 0)
	b.owed -= float64(steps)
}
