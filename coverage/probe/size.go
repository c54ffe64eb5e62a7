package probe

// Size is the length of Hits. A build of instrumented code replaces this file by
// one with its own number of sides, rounded up.
const Size = 1 << 16

// Analysis says that the code is instrumented in the analysis form: it calls what
// analysis.go and compare.go hold, and the variables there say what it did.
const Analysis = false
