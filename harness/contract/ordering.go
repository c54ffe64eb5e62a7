package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

const (
	docCompare = "a comparison is a strict weak ordering: package cmp, Compare; package slices, SortFunc"
	lessNames  = "Less LessThan"
	docLess    = "Less is a strict weak ordering: package sort, Interface"
)

// ordering adds the contracts of Compare(T) int and Less(T) bool, methods or functions.
func ordering(a *api, add func(...Contract)) {
	a.every("Compare Cmp", "_ -> Int", func(compare operation) {
		if a.binary(compare) && !compare.Pre.Panics {
			add(comparing(a, compare)...)
		}
	})
	a.everyMethod("Less", "int, int -> Bool", func(less operation) {
		length := a.methodOf(less.Params[0], "Len", "-> Int")
		if !length.exists() || !a.has(less.Params[0], "Swap") || less.Pre.Panics {
			return
		}
		d := a.draft(less, engine.ClaimPromise, docLess).named("sort-less", "each of two elements is less than the other, or one less than itself", hasNaN)
		d.Fit = true
		add(both1(d, property.SortLess, operation.few, length, operation.bool, less))
	})
	a.every(lessNames, "_ -> Bool", func(less operation) {
		if !a.binary(less) || less.Pre.Panics {
			return
		}
		d := a.draft(less, engine.ClaimPromise, docLess)
		add(
			of1(d.named("less-irreflexive", "the value is less than itself", nil), property.LessIrreflexive, operation.bool, less),
			of2(d.named("less-asymmetric", "each of the two is less than the other", nil), property.LessAsymmetric, operation.bool, less),
			of3(d.named("less-transitive", "the first is less than the second, the second than the third, the first not than the third", hasNaN), property.LessTransitive, operation.bool, less))
	})
}

// comparing adds the contracts of Compare.
func comparing(a *api, compare operation) []Contract {
	d := a.draft(compare, engine.ClaimPromise, docCompare)
	all := []Contract{
		of1(d.named("compare-reflexive", "the value does not compare as equal to itself", noEquality), property.CompareReflexive, operation.int, compare),
		of2(d.named("compare-antisymmetric", "comparing the other way round does not give the opposite sign", hasNaN), property.CompareAntisymmetric, operation.int, compare),
		of3(d.named("compare-transitive", "the first is at most the second, the second at most the third, yet the first is greater than the third", hasNaN), property.CompareTransitive, operation.int, compare),
	}
	if compare.Kind != seq.Method {
		return all
	}
	if equal := a.equal(d.Type); equal.exists() {
		e := d.named("compare-equal", "comparison and equality disagree", hasNaN)
		// An ordering may rightly look at less than equality.
		e.Claim, e.Doc = engine.ClaimName, "Compare and Equal of one type agree, as those of time.Time"
		all = append(all, both2(e, property.CompareEqual, operation.int, compare, operation.bool, equal))
	}
	if less := a.methodOf(d.Type, lessNames+" Before", "_ -> Bool"); less.exists() && a.binary(less) {
		d.Doc = "one is less than the other if it compares so, as package time says of Compare and Before"
		d = d.named("compare-less", compare.Base+" and "+less.Base+" disagree", hasNaN)
		all = append(all, both2(d, property.CompareLess, operation.int, compare, operation.bool, less))
	}
	return all
}

// few returns o as a function of a number of elements that are looked at.
func (o operation) few(c Caller) func(...any) int {
	const most = 8
	length := o.int(c)
	return func(args ...any) int { return min(length(args...), most) }
}
