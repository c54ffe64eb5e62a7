//go:build !unix

package process

func keepDescriptors() {}
