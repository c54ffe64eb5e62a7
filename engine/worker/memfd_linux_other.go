//go:build linux && !amd64 && !arm64

package worker

// memfdCreate is zero: other architectures use a file.
const memfdCreate = 0
