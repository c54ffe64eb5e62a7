package farm

import (
	"os"
	"strings"
)

// pidSpace names the processes among which a PID names one: those of a container, since a boot of
// the machine. Host names do not tell: containers and machines may have the same. It returns "" if
// the system does not tell.
func pidSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + namespace
}
