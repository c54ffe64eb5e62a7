package mutators

import (
	"math"
	"slices"
	"strconv"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// A pair is a comparison of a condition: x op y is wanted, of two values of the same
// Go type. y is nil if the operand compared with x is not known.
type pair struct {
	x, y any
	op   string // "" if not known
}

// compared returns the comparisons of the condition, the last first. If it compared no
// values, they are those of the conditions before it, which may have decided it.
func (a *Aim) compared() []pair {
	if list := a.own(); len(list) > 0 {
		return list
	}
	return a.others()
}

// nearby returns the comparisons of other conditions on the way, if compared does not.
func (a *Aim) nearby() []pair {
	if len(a.own()) == 0 {
		return nil
	}
	return a.others()
}

// own returns the operands of the condition.
func (a *Aim) own() []pair {
	var list []pair
	for i := len(a.Visits) - 1; i >= max(0, len(a.Visits)-maxVisits) && len(list) < maxPairs; i-- {
		list = a.appendOwn(list, &a.Visits[i])
	}
	return list
}

// appendOwn appends the operands of a visit of the condition: of a switch the tag
// with each constant of the clause wanted.
func (a *Aim) appendOwn(list []pair, v *coverage.Visit) []pair {
	if a.Condition.Kind != coverage.Switch {
		return appendPair(list, v, coverage.Relation(a.Condition, a.Want))
	}
	if at := a.Want - a.Condition.First; at < len(a.Condition.Cases) && len(a.Condition.Cases[at]) > 0 {
		for _, constant := range a.Condition.Cases[at] {
			if with, ok := v.Against(constant); ok {
				list = appendPair(list, &with, "==")
			}
		}
		return list
	}
	// The side of no clause: any value but the present one.
	other := *v
	other.Y, other.SY = other.X, other.SX
	return appendPair(list, &other, "!=")
}

// others returns the operands of the other conditions on the way.
func (a *Aim) others() []pair {
	var list []pair
	for i := range a.Nearby {
		if len(list) < 2*maxPairs {
			list = appendPair(list, &a.Nearby[i], "")
		}
	}
	return list
}

// appendPair appends the operands of v unless they are no values or in the list.
func appendPair(list []pair, v *coverage.Visit, op string) []pair {
	var p pair
	switch v.Kind {
	case coverage.SignedOperands:
		p = pair{int64(v.X), int64(v.Y), op}
	case coverage.UnsignedOperands:
		p = pair{v.X, v.Y, op}
	case coverage.FloatOperands:
		p = pair{math.Float64frombits(v.X), math.Float64frombits(v.Y), op}
	case coverage.StringOperands:
		p = pair{v.SX, v.SY, op}
	case coverage.KeyOperands:
		p = pair{x: int64(v.X)}
		if v.SX != "" {
			p.x = v.SX
		}
	default:
		return list
	}
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// wanted returns values to put where x came from.
func (p *pair) wanted() []any {
	if p.y == nil {
		return []any{p.x}
	}
	return targets(p.op, p.y)
}

// mirrored returns p as the comparison of y with x. It reports false if there is no y.
func (p *pair) mirrored() (pair, bool) {
	return pair{p.y, p.x, opposite(p.op)}, p.y != nil
}

// comparedValues puts one operand of the condition where the other came from: the
// compared-value set of [Pacheco09 §6.2], and for <, ≤, ≠ its neighbours.
// Literals that were compared as they stand come first, then all positions.
func comparedValues(a *Aim, try func(seq.Sequence) bool) { a.putOperands(a.compared(), try) }

// nearbyValues does so with the operands of other conditions on the way: the
// condition may depend on them, or the way to it.
func nearbyValues(a *Aim, try func(seq.Sequence) bool) { a.putOperands(a.nearby(), try) }

func (a *Aim) putOperands(pairs []pair, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.places()
	for _, pr := range pairs {
		for _, p := range places {
			if same(p.value(), pr.x) && !o.values(p, pr.wanted()...) {
				return
			}
			if m, ok := pr.mirrored(); ok && same(p.value(), m.x) && !o.values(p, m.wanted()...) {
				return
			}
		}
	}
	for _, pr := range pairs {
		for _, p := range places {
			if !o.values(p, pr.wanted()...) {
				return
			}
		}
	}
	for _, pr := range pairs {
		m, ok := pr.mirrored()
		for _, p := range places {
			if ok && !o.values(p, m.wanted()...) || !o.values(p, pr.x) || ok && !o.values(p, targets("", pr.y)...) {
				return
			}
		}
	}
}

// differences moves each number up and down by the distance of x from the wanted value.
// That is right where the operand is the literal plus or minus something.
func differences(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.places()
	for _, pr := range a.compared() {
		for _, x := range pr.wanted() {
			d, ok := difference(pr.x, x)
			if !ok {
				continue
			}
			for _, p := range places {
				for _, d := range []any{d, negative(d)} {
					if !o.shifted(p, d) {
						return
					}
				}
			}
		}
	}
}

// shifted offers the number at p moved by d: the literal, or each number in its text.
func (o *emitter) shifted(p place, d any) bool {
	s, isText := p.value().(string)
	if !isText {
		if moved, ok := sum(p.value(), d); ok {
			return o.value(p, moved)
		}
		return true
	}
	for _, at := range numbers(s) {
		n, err := strconv.ParseInt(s[at.from:at.to], 10, 64)
		if err != nil {
			continue
		}
		moved, _ := sum(n, d)
		t, _ := text(moved)
		if !o.replace(p, s, at, t) {
			return false
		}
	}
	return true
}
