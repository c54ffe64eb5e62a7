// Package open has functions that take lists of any type, as what works by reflection
// does, and refuse the rest.
package open

import (
	"fmt"
	"reflect"
)

// Numbers returns a list of numbers.
func Numbers(list ...int) []int { return list }

// Words returns a list of words.
func Words(list ...string) []string { return list }

// Flags returns a list of flags.
func Flags(list ...bool) []bool { return list }

// Ratios returns a list of ratios.
func Ratios(list ...float64) []float64 { return list }

// Len returns the number of elements of a list.
func Len(list any) (int, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice {
		return 0, fmt.Errorf("open: %T is no list", list)
	}
	return v.Len(), nil
}

// Overlap returns where two lists of one type have the same element.
func Overlap(x, y any) []bool {
	v, w := reflect.ValueOf(x), reflect.ValueOf(y)
	if v.Kind() != reflect.Slice || w.Kind() != reflect.Slice {
		panic("open: no list")
	}
	if v.Type() != w.Type() {
		panic("open: lists of two types")
	}
	same := make([]bool, v.Len())
	for i := range w.Len() { // it is as if x could not be the shorter one
		same[i] = i < v.Len() && v.Index(i).Equal(w.Index(i))
	}
	return same
}
