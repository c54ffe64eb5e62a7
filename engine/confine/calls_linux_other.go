//go:build linux && !amd64 && !arm64

package confine

// Other architectures have Landlock and no filter.
const (
	auditArch  = 0
	socketCall = 0
)

var pretended, refused []uint32
