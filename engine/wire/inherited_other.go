//go:build !unix && !windows

package wire

import "errors"

// Inherit returns an error: there are no workers here.
func Inherit() (Inherited, error) { return Inherited{}, errors.ErrUnsupported }
