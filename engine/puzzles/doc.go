// Package puzzles holds tiny packages with one planted bug each: what composition
// must find, and within how many sequences, is tested by running foray on them.
//
// A planted bug is an index out of range that no precondition excuses. The
// packages are test targets only: nothing imports them.
package puzzles
