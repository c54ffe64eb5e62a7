//go:build !linux

package farm

import "os"

// pidSpace names the processes among which a PID names one.
func pidSpace() string {
	host, _ := os.Hostname()
	return host
}
