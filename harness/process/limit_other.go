//go:build !linux

package process

func limitAddressSpace() {}
