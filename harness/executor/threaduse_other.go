//go:build !linux

package executor

func useOfThread() threadUse { return threadUse{} }
