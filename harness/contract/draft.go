package contract

import (
	"strings"
	"sync"

	"foray.test/engine"
	"foray.test/harness/contract/property"
)

// A draft is a contract without its property.
type draft struct {
	Contract
	a       *api
	detail  string
	detailf func(c Caller, v []any) string // in its place
	excuse  func(v ...any) bool            // reports values that the contract skips, if any
}

// A form is how a property calls an operation, such as operation.bool.
type form[F any] func(operation, Caller) F

// named returns d with a name, a detail and an excuse.
func (d draft) named(name, detail string, excuse func(v ...any) bool) draft {
	d.Name, d.detail, d.excuse = name, detail, excuse
	return d
}

// citing returns d with a document that quotes the documentation of ops, too.
func (d draft) citing(ops ...operation) draft {
	if quoted := cite(ops...); quoted != "" {
		d.Doc += ". " + quoted
	}
	for _, o := range ops {
		d.Cites = append(d.Cites, o.id)
	}
	return d
}

// draft returns the draft of a contract on the receiver type of o.
func (a *api) draft(o operation, claim engine.Claim, doc string) draft {
	return draft{a: a, Contract: Contract{Claim: claim, Doc: strings.TrimSuffix(doc, ". "), Type: o.Params[0], Op: o.id, Cost: Linear}}
}

// contract returns the contract that test, which calls p, checks on arity values.
// args are the arguments of p.
func (d draft) contract(p any, test func(c Caller, v []any) bool, arity int, args ...property.Argument) Contract {
	d.Arity, d.Assert = arity, sync.OnceValue(func() string { return property.Text(d.a.t.ImportName, p, args...) })
	d.Holds = func(c Caller, v []any) (bool, string) {
		if !fails(func() bool { return test(c, v) }) || d.excuse != nil && d.excuse(v...) {
			return true, ""
		}
		if d.detailf != nil {
			return false, d.detailf(c, v)
		}
		return false, d.detail
	}
	return d.Contract
}

// slots are the values that a contract is checked on.
var slots = [3]property.Argument{{Text: "$0"}, {Text: "$1"}, {Text: "$2"}}

// These return the contract of a property of one or two operations and some values.
func of1[F any](d draft, p func(F, any) bool, f form[F], o operation) Contract {
	return d.contract(p, func(c Caller, v []any) bool { return p(f(o, c), v[0]) }, 1, o.argument(), slots[0])
}

func of2[F any](d draft, p func(F, any, any) bool, f form[F], o operation) Contract {
	return d.contract(p, func(c Caller, v []any) bool { return p(f(o, c), v[0], v[1]) }, 2, o.argument(), slots[0], slots[1])
}

func of3[F any](d draft, p func(F, any, any, any) bool, f form[F], o operation) Contract {
	return d.contract(p, func(c Caller, v []any) bool { return p(f(o, c), v[0], v[1], v[2]) }, 3, o.argument(), slots[0], slots[1], slots[2])
}

func both1[F, G any](d draft, p func(F, G, any) bool, f form[F], o operation, g form[G], other operation) Contract {
	return d.contract(p, func(c Caller, v []any) bool { return p(f(o, c), g(other, c), v[0]) }, 1, o.argument(), other.argument(), slots[0])
}

func both2[F, G any](d draft, p func(F, G, any, any) bool, f form[F], o operation, g form[G], other operation) Contract {
	return d.contract(p, func(c Caller, v []any) bool { return p(f(o, c), g(other, c), v[0], v[1]) }, 2, o.argument(), other.argument(), slots[0], slots[1])
}

// These report values that contracts skip.
func hasNaN(v ...any) bool   { return holdsFloat(true, v...) }
func anyFloat(v ...any) bool { return holdsFloat(false, v...) }
