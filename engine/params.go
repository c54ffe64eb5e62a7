package engine

// Params are the numbers that composition works with. Zero fields mean the defaults
// of [DefaultParams]. Its comments give the reasons.
type Params struct {
	// Undirected switches off all learning: no component is kept, no digest
	// taken, operations are drawn uniformly. The random walk of [Pacheco09 §8.1].
	Undirected bool

	MinSteps, MaxSteps int // a sequence aims at a length between these
	RepeatOneIn        int // a call is repeated once in so many times
	StringBytes        int // strings that are made grow to at most so many bytes
	// VaryOf8 is how many sequences in 8 are an entry with some of its literals
	// edited, run instead of a composed sequence; then none starts from an
	// entry. Zero is none.
	VaryOf8      int
	MinimizeRuns int // runs spent on minimizing one finding in the worker
	// QuietAfter is how many sequences without a new side make composition quiet,
	// and a quarter of how many do so in all; below zero none.
	QuietAfter int
	// Untimed has every run be untimed: see [RunOptions]. Then no clock decides on the
	// history, and calls that are slow are made as often as others.
	Untimed bool
}

// DefaultParams returns the defaults.
func DefaultParams() Params {
	return Params{
		// Half the sequences are longer than 20 steps: most states of containers
		// need some ten calls, and the cost of beginning and judging a sequence is
		// spread over more steps.
		MinSteps: 8, MaxSteps: 64,
		RepeatOneIn:  10, // N = 0.1: [Pacheco09 §7.5]
		StringBytes:  64,
		MinimizeRuns: 2000,
		QuietAfter:   1000, // a second's worth on most packages
	}
}

// TargetParams returns the parameters for a table of one operation, a function that
// takes its whole input as literals: a fuzz target.
func TargetParams() Params {
	p := DefaultParams()
	p.MinSteps, p.MaxSteps, p.RepeatOneIn = 1, 1, 1<<30
	p.VaryOf8 = 7 // else from the dictionary alone
	p.StringBytes = 4 << 10
	return p
}

func (p Params) orDefault() Params {
	d := DefaultParams()
	for _, f := range []struct{ p, d *int }{
		{&p.MinSteps, &d.MinSteps}, {&p.MaxSteps, &d.MaxSteps},
		{&p.RepeatOneIn, &d.RepeatOneIn}, {&p.StringBytes, &d.StringBytes},
		{&p.MinimizeRuns, &d.MinimizeRuns}, {&p.QuietAfter, &d.QuietAfter},
	} {
		if *f.p == 0 {
			*f.p = *f.d
		}
	}
	return p
}
