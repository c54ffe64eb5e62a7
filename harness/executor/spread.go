package executor

import (
	"math/rand/v2"
	"strconv"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// A kept is a plain context in which a law held, of literals of some kinds.
type kept struct {
	k     *keeping
	of    kinds
	steps seq.Sequence
}

// kinds are the kinds of literals that data are made of, as bits.
type kinds uint8

const (
	ofText kinds = 1 << iota
	ofInteger
	ofFraction
	allKinds = iota
)

// kindsIn returns the kinds of literals in s that have other plain ones.
func kindsIn(s seq.Sequence) (of kinds) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit == nil {
				continue
			}
			switch a.Lit.Value.(type) {
			case string:
				of |= ofText
			case int64, uint64:
				of |= ofInteger
			case float64:
				of |= ofFraction
			}
		}
	}
	return of
}

// notes has the law of k be tried in other plain contexts like that of c, after this run. Steps
// that have nothing to do with the call are left out.
func (j *judge) notes(k *keeping, c *contract.Call) {
	steps := seq.Prune(c.Table, c.Steps, nil, len(c.Steps)-1)
	of := kindsIn(steps)
	if of != 0 && k.trying(of) != engine.Strange && (j.kept.k == nil || k.tried[of] < j.kept.k.tried[j.kept.of]) {
		j.kept = kept{k, of, steps}
	}
}

// trying returns how plain the contexts are of which more are wanted, [engine.Strange] if none. Of
// kinds that were not tried some always are: for a parameter of type any, most literals are integers.
func (k *keeping) trying(of kinds) engine.Plainness {
	isNew := k.tried[of] == 0
	if k.tries >= maxTries && !isNew {
		return engine.Strange
	}
	for plain := engine.Plain; plain < engine.Plainnesses; plain++ {
		if t := &k.tallies[plain]; !t.breaks() {
			if t.n < tryContexts || isNew {
				return plain
			}
			break
		}
	}
	return engine.Strange
}

// try holds the law of a context that the last run noted in the same calls with other plain
// literals. It returns the verdict of the plainest breach, with its sequence, once that is settled.
func (j *judge) try() (v *engine.Verdict, shows seq.Sequence) {
	k, of, s := j.kept.k, j.kept.of, j.kept.steps
	if j.kept = (kept{}); k == nil {
		return nil, nil
	}
	plain := k.trying(of)
	k.tries++
	k.tried[of]++
	j.x.journal.judging(k.law.id)
	if shows = j.holdVariants(k, plain, s); k.tallies[plain].breaks() {
		return nil, nil
	}
	if shows == nil {
		return nil, nil
	}
	if v, _ = k.law.Hold(j, j.x.table, shows, j.x.tainted); v == nil {
		return nil, nil
	}
	return j.mute(v, shows), shows
}

// spread holds the law of k in the calls of s up to the one that broke it, with other plain
// literals. Those contexts count among plain ones only: among all they would hide how often the
// law breaks of strange data.
func (j *judge) spread(k *keeping, v *engine.Verdict, s seq.Sequence) {
	if v.Plain == engine.Strange || k.spreads == maxSpreads || v.Steps > len(s) {
		return
	}
	if k.spreads++; k.tallies[v.Plain].n < enoughContexts {
		j.holdVariants(k, v.Plain, s[:v.Steps])
	}
}

// holdVariants holds the law of k in the calls of s with other literals, so plain. It returns the
// first sequence that breaks it.
func (j *judge) holdVariants(k *keeping, plain engine.Plainness, s seq.Sequence) (broken seq.Sequence) {
	counted := &k.tallies[plain]
	k.least = plain
	defer func() { k.least = engine.Strange }()
	random := rand.New(rand.NewPCG(uint64(k.spreads+k.tries<<8), uint64(len(s))))
	before := counted.n
	for i := range spreadRuns {
		if i == firstSpreadRuns && counted.n-before < firstSpreadRuns/4 {
			break
		}
		variant, any := j.plainVariant(random, s, plain)
		if !any || j.x.outOfFuel() || counted.breaks() {
			break
		}
		if v, _ := k.law.Hold(j, j.x.table, variant, j.x.tainted); v != nil && broken == nil && j.plain >= plain {
			broken = variant
		}
	}
	return broken
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
	engine.Plain: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + plainMarks,
	engine.Words: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
}

const plainMarks = "._-"

// plainValue returns a plain text or number of the kind of v, nil for other kinds.
func plainValue(random *rand.Rand, v any, plain engine.Plainness) any {
	letters := plainLetters[plain]
	switch v.(type) {
	case string:
		switch {
		case plain == engine.Plain && random.IntN(decimalOneIn) == 0:
			return decimal(random)
		case plain == engine.Plain && random.IntN(marksOneIn) == 0:
			return text(random, plainMarks, maxMarks)
		}
		return text(random, letters, maxPlainText)
	case int64:
		return int64(random.IntN(1 << random.IntN(integerBits)))
	case uint64:
		return uint64(random.IntN(1 << random.IntN(integerBits)))
	case float64:
		if random.IntN(computedOneIn) == 0 {
			return random.Float64() * float64(int64(1)<<random.IntN(computedBits))
		}
		x, _ := strconv.ParseFloat(decimal(random), 64)
		return x
	}
	return nil
}

// text returns a text of some letters, at most n.
func text(random *rand.Rand, letters string, n int) string {
	text := make([]byte, 1+random.IntN(n))
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

// decimal returns a decimal number as people write it: a fraction mostly has few digits.
func decimal(random *rand.Rand) string {
	text := strconv.Itoa(random.IntN(1<<random.IntN(integerBits))) + "."
	for n := 0; n == 0 || n < maxDecimals && random.IntN(2) == 0; n++ {
		text += strconv.Itoa(random.IntN(10))
	}
	return text
}
