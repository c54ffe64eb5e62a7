//go:build !linux

package harness

func limitAddressSpace() {}
