//go:build !linux

package harness

func useOfThread() threadUse { return threadUse{} }
