package confine

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// System calls of Landlock, the same on all architectures: see landlock(7).
const (
	sysCreateRuleset = 444
	sysAddRule       = 445
	sysRestrictSelf  = 446
)

// Rights to files.
const (
	rightWriteFile = 1 << 1
	rightRemoveDir = 1 << 4 // from here on: rights to change directories
	rightMakeSym   = 1 << 12
	rightRefer     = 1 << 13 // ABI 2: to link or rename across directories
	rightTruncate  = 1 << 14 // ABI 3

	rightsOfDirs = rightMakeSym<<1 - rightRemoveDir
)

const rightConnectTCP = 1 << 1 // ABI 4

const (
	scopeAbstractSocket = 1 << 0 // ABI 6
	scopeSignal         = 1 << 1
)

// A ruleset is struct landlock_ruleset_attr; older kernels know the first fields.
type ruleset struct {
	fs     uint64
	net    uint64 // ABI 4
	scoped uint64 // ABI 6
}

// size returns how many bytes of a ruleset a kernel knows.
func (r *ruleset) size(abi int) uintptr {
	switch {
	case abi >= 6:
		return unsafe.Sizeof(*r)
	case abi >= 4:
		return unsafe.Offsetof(r.scoped)
	}
	return unsafe.Offsetof(r.net)
}

// newRuleset returns the rights that a kernel can take away.
func newRuleset(abi int) *ruleset {
	r := &ruleset{fs: rightWriteFile | rightsOfDirs}
	if abi >= 2 {
		r.fs |= rightRefer
	}
	if abi >= 3 {
		r.fs |= rightTruncate
	}
	if abi >= 4 {
		r.net = rightConnectTCP
	}
	if abi >= 6 {
		r.scoped = scopeAbstractSocket | scopeSignal
	}
	return r
}

// version is Landlock's, 0 if the kernel has none or does not let us use it.
var version = sync.OnceValue(func() int {
	const versionOnly = 1
	abi, _, errno := syscall.Syscall(sysCreateRuleset, 0, 0, versionOnly)
	if errno != 0 {
		return 0
	}
	return int(abi)
})

func supported() bool { return version() > 0 }

// isMainThread reports whether this thread is the first one of its process.
func isMainThread() bool { return syscall.Gettid() == syscall.Getpid() }

// devices may be written to, because they discard the data.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// bound bounds this thread, for good.
func bound(dirs []string) error {
	const setNoNewPrivs = 38
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return nil // a kernel of long ago
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if err := filter(); err != nil {
		return err
	}
	abi := version()
	if abi == 0 {
		return nil
	}
	r := newRuleset(abi)
	fd, _, errno := syscall.Syscall(sysCreateRuleset, uintptr(unsafe.Pointer(r)), r.size(abi), 0)
	if errno != 0 {
		return fmt.Errorf("confine: create ruleset: %w", errno)
	}
	defer syscall.Close(int(fd))
	for _, dir := range dirs {
		if err := allow(int(fd), dir, r.fs); err != nil {
			return fmt.Errorf("confine: allow %s: %w", dir, err)
		}
	}
	for _, file := range devices {
		// A system without the device has nothing to allow.
		_ = allow(int(fd), file, r.fs&(rightWriteFile|rightTruncate))
	}
	if _, _, errno := syscall.Syscall(sysRestrictSelf, fd, 0, 0); errno != 0 {
		return fmt.Errorf("confine: %w", errno)
	}
	return nil
}

// capabilities are the two halves of the capabilities of a thread: see capset(2).
type capabilities [2]struct{ effective, permitted, inheritable uint32 }

// kept are the capabilities that the code under test keeps if root runs it: to read and write files
// whatever their modes, which Landlock bounds. Without the others it cannot take a network interface
// down, or use raw sockets.
const kept = 1<<1 | 1<<2 // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH

// dropPrivileges takes all capabilities from this thread that are not kept. Its children get none
// back, since it may gain no privileges.
func dropPrivileges() error {
	header := struct {
		version uint32
		pid     int32 // 0: this thread
	}{version: 0x20080522}
	var have capabilities
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&have)), 0); errno != 0 {
		return fmt.Errorf("confine: capabilities: %w", errno)
	}
	less := capabilities{}
	less[0].effective, less[0].permitted = have[0].effective&kept, have[0].permitted&kept
	if less == have { // as for most users
		return nil
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&less)), 0); errno != 0 {
		return fmt.Errorf("confine: drop capabilities: %w", errno)
	}
	return nil
}

// allow adds a rule that gives rights to a file, or to all files below a
// directory.
func allow(ruleset int, path string, rights uint64) error {
	const (
		openPath    = 0x200000
		pathBeneath = 1
	)
	fd, err := syscall.Open(path, openPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	// struct landlock_path_beneath_attr is packed: 12 bytes.
	rule := struct {
		rights uint64
		fd     int32
		_      int32
	}{rights: rights, fd: int32(fd)}
	if _, _, errno := syscall.Syscall6(sysAddRule, uintptr(ruleset), pathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// An instruction is struct sock_filter.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// Instructions of a filter: see seccomp(2).
const (
	loadWord  = 0x20
	and       = 0x54
	jumpEqual = 0x15
	answer    = 0x06

	answerAllow = 0x7fff0000
	answerErrno = 0x00050000 // or'ed with the number; 0 pretends that the call was made

	offsetNumber = 0
	offsetArch   = 4
	offsetFirst  = 16 // the low half of the first argument, on these architectures
	offsetSecond = 24
)

// datagrams refuses sockets of the internet that need no connection to send: UDP, raw
// ones. The number of the call is loaded.
var datagrams = []instruction{
	{jumpEqual, 0, 8, socketCall},
	{loadWord, 0, 0, offsetFirst},
	{jumpEqual, 1, 0, syscall.AF_INET},
	{jumpEqual, 0, 4, syscall.AF_INET6},
	{loadWord, 0, 0, offsetSecond},
	{and, 0, 0, 0xf}, // without flags
	{jumpEqual, 1, 0, syscall.SOCK_STREAM},
	{answer, 0, 0, answerErrno | uint32(syscall.EACCES)},
	{answer, 0, 0, answerAllow},
}

// filter restricts system calls of this thread that Landlock does not know.
// Changes of modes, owners, times and attributes report success and do nothing:
// most code that makes them, on its own files, cannot go on otherwise. Calls
// that change the machine are refused.
func filter() error {
	if auditArch == 0 {
		return nil
	}
	program := []instruction{
		{loadWord, 0, 0, offsetArch},
		{jumpEqual, 1, 0, auditArch},
		{answer, 0, 0, answerAllow},
		{loadWord, 0, 0, offsetNumber},
	}
	add := func(calls []uint32, say uint32) {
		for _, nr := range calls {
			program = append(program, instruction{jumpEqual, 0, 1, nr}, instruction{answer, 0, 0, say})
		}
	}
	add(pretended, answerErrno)
	add(refused, answerErrno|uint32(syscall.EPERM))
	program = append(append(program, datagrams...), instruction{answer, 0, 0, answerAllow})
	prog := struct {
		len    uint16
		filter *instruction
	}{uint16(len(program)), &program[0]}
	const (
		setSeccomp = 22
		modeFilter = 2
	)
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setSeccomp, modeFilter, uintptr(unsafe.Pointer(&prog)), 0, 0, 0)
	if errno != 0 && errno != syscall.EINVAL { // a kernel without filters
		return fmt.Errorf("confine: filter: %w", errno)
	}
	return nil
}
