package worker

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"
	"unsafe"

	"foray.test/engine/confine"
	"foray.test/engine/wire"
)

// processGroup keeps Ctrl-C from a worker: the coordinator ends it.
// lower does nothing.
func lower(int) {}

func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// A group is a process with its children.
type group struct {
	cmd *exec.Cmd
	// memoryBytes bounds the memory of each process, if not zero. The race detector maps
	// terabytes of shadow memory by design.
	memoryBytes uintptr
	job         *confine.Job // nil if the system refused it: then the process is killed alone
}

func newGroup(cmd *exec.Cmd, race bool) *group {
	g := &group{cmd: cmd}
	if !race {
		g.memoryBytes = 2 * wire.MemoryBytes
	}
	return g
}

// inherit has the process start with files as handles.
func (g *group) inherit(files []*os.File) error {
	handles, env, err := wire.HandOver(files...)
	if err != nil {
		return err
	}
	g.cmd.SysProcAttr.AdditionalInheritedHandles = handles
	g.cmd.Env = append(g.cmd.Env, env)
	return nil
}

// started is called when the process has started.
func (g *group) started() { g.job, _ = confine.NewJob(g.cmd.Process, g.memoryBytes) }

// kill kills the process and its children.
func (g *group) kill() {
	g.job.Kill()
	_ = g.cmd.Process.Kill()
}

// crash does nothing: no signal has the runtime print its goroutines.
func (g *group) crash() {}

// close frees the job.
func (g *group) close() { g.job.Close() }

// signalOf names the exception that ended a process, if one did.
func signalOf(st *os.ProcessState) string {
	const exceptions = 0xC0000000 // and above
	if code := uint32(st.ExitCode()); code >= exceptions {
		return fmt.Sprintf("exception %#x", code)
	}
	return ""
}

// crashText matches what the runtime prints when it ends a process.
var crashText = regexp.MustCompile(`(?ms)^(panic|fatal error): .*?^goroutine \d+ .*?\[`)

// crashed reports whether the runtime ended a process: it ends it with status 2, or by the
// exception that it could not handle, after it has printed why. Code under test may do
// likewise.
func crashed(st *os.ProcessState, stderr string) bool {
	return (st.ExitCode() == 2 || signalOf(st) != "") && crashText.MatchString(stderr)
}

// open opens a process, and returns 0 if there is none.
func open(pid int) syscall.Handle {
	const query = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	h, err := syscall.OpenProcess(query|syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0
	}
	return h
}

// cpuNow returns the processor time that a process has taken so far.
func cpuNow(pid int) (time.Duration, bool) {
	h := open(pid)
	if h == 0 {
		return 0, false
	}
	defer syscall.CloseHandle(h)
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	const tick = 100 * time.Nanosecond
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * tick, true
}

// runnable returns true, false. The system does not tell it cheaply: a process that waits gets as
// long as one that computes.
func runnable(pid int) (ready, known bool) { return true, false }

var processMemory = syscall.NewLazyDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// resident returns how many bytes of memory a process has, 0 if that is not known.
func resident(pid int) int64 {
	h := open(pid)
	if h == 0 {
		return 0
	}
	defer syscall.CloseHandle(h)
	var counters struct { // PROCESS_MEMORY_COUNTERS
		size, faults  uint32
		_, workingSet uintptr
		_             [6]uintptr
	}
	counters.size = uint32(unsafe.Sizeof(counters))
	if ok, _, _ := processMemory.Call(uintptr(h), uintptr(unsafe.Pointer(&counters)), unsafe.Sizeof(counters)); ok == 0 {
		return 0
	}
	return int64(counters.workingSet)
}

// ended reports whether a process has ended, though nobody may have waited for it yet.
func ended(pid int) bool {
	h := open(pid)
	if h == 0 {
		return true
	}
	defer syscall.CloseHandle(h)
	event, err := syscall.WaitForSingleObject(h, 0)
	return err == nil && event == syscall.WAIT_OBJECT_0
}

// stopped returns false: no signal stops a process of the system.
func stopped(int) bool { return false }
