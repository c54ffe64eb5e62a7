//go:build !race

package workertest

// Race says whether the race detector is linked.
const Race = false
