package executor

import (
	"math/rand/v2"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Plain contexts are rare where literals are drawn to break things. So the first breaches in
// plain ones have the law be held in the same calls with other plain literals, until it is
// known how often the package keeps it.
const (
	maxSpreads = 16 // breaches of a law
	spreadRuns = 2 * enoughContexts
	// A spread ends if so many runs have made less than a quarter of them contexts: its literals
	// are not the data.
	firstSpreadRuns = 32
)

// spread holds the law of k in the calls of s up to the one that broke it, with other plain
// literals. Those contexts count among plain ones only: among all they would hide how often the
// law breaks of strange data.
func (j *judge) spread(k *keeping, v *engine.Verdict, s seq.Sequence) {
	counted := &k.tallies[v.Plain]
	if v.Plain == engine.Strange || k.spreads == maxSpreads || counted.n >= enoughContexts || v.Steps > len(s) {
		return
	}
	k.spreads++
	k.least = v.Plain
	defer func() { k.least = engine.Strange }()
	random := rand.New(rand.NewPCG(uint64(k.spreads), uint64(v.Steps)))
	before := counted.n
	for i := range spreadRuns {
		if i == firstSpreadRuns && counted.n-before < firstSpreadRuns/4 {
			return
		}
		variant, any := j.plainVariant(random, s[:v.Steps], v.Plain)
		if !any || j.x.outOfFuel() || counted.breaks() {
			return
		}
		k.law.Hold(j, j.x.table, variant, j.x.tainted)
	}
}

// plainVariant returns s with other literals, so plain, for its texts and numbers. It reports
// whether there are any.
func (j *judge) plainVariant(random *rand.Rand, s seq.Sequence, plain engine.Plainness) (variant seq.Sequence, any bool) {
	variant = s.Clone()
	for i := range variant {
		for k, a := range variant[i].Args {
			if a.Lit == nil {
				continue
			}
			if value := plainValue(random, a.Lit.Value, plain); value != nil {
				lit := &seq.Literal{Type: a.Lit.Type, Value: value}
				j.x.Box(lit)
				variant[i].Args[k], any = seq.Lit(lit), true
			}
		}
	}
	return variant, any
}

var plainLetters = [engine.Plainnesses]string{
	engine.Plain: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
	engine.Words: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
}

// plainValue returns a plain text or number of the kind of v, nil for other kinds.
func plainValue(random *rand.Rand, v any, plain engine.Plainness) any {
	letters := plainLetters[plain]
	switch v.(type) {
	case string:
		text := make([]byte, 1+random.IntN(8))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		return string(text)
	case int64:
		return int64(random.IntN(1 << random.IntN(10)))
	case uint64:
		return uint64(random.IntN(1 << random.IntN(10)))
	case float64:
		return float64(random.IntN(1<<10)) / 8
	}
	return nil
}
