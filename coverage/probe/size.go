package probe

// Size is the length of Hits. A build of instrumented code replaces this file by
// one with its own number of sides, rounded up.
const Size = 1 << 16

// Analysis reports whether the code is instrumented in the analysis form, with
// the functions of analysis.go and compare.go.
const Analysis = false
