// Package puzzles holds tiny packages with one planted bug each: what composition
// must find, and within how many sequences, is tested by running foray on them.
//
// A planted bug is an index out of range that no precondition excuses. In locks and
// safes nothing is planted: they are branch sides to aim at. The packages are test
// targets only: nothing imports them.
package puzzles
