//go:build !linux

package confine

func supported() bool { return false }

func bound([]string) error { return nil }

func isMainThread() bool { return false }
