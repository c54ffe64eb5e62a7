//go:build nofarm

package main

// farmCommands are left out, with all that they need.
func farmCommands() []command { return nil }
