//go:build !windows

package confine

func tempVars() []string { return []string{"TMPDIR"} }
