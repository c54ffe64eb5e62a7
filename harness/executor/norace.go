//go:build !race

package executor

const RaceEnabled = false
