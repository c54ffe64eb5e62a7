package mutators

import "foray.test/engine/seq"

// Perturb calls try with the witness changed at p in a few ways, to see what that
// influences: the nearest other values of a literal, another earlier value or nil
// in place of a slot, another operation that takes and makes the same types.
func Perturb(a *Aim, p Position, try func(seq.Sequence) bool) {
}
