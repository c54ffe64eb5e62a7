//go:build !linux

package process

func backHeap() {}
