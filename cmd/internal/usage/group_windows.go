package usage

import "syscall"

// ownGroup keeps Ctrl-C from the tests: foray ends them.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup does nothing: the system has no groups that a signal reaches.
func killGroup(int) {}
