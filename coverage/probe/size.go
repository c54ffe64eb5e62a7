package probe

// Size is the length of Hits. A build of instrumented code replaces this file by
// one with its own number of sides, rounded up to a multiple of 64.
const Size = 1 << 16
