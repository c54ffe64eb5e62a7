//go:build !linux

package planted

// Freeze does not return.
func (b *Box) Freeze() { b.Spin() }
