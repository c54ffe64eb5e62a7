package confine

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	createJob    = kernel32.NewProc("CreateJobObjectW")
	setJob       = kernel32.NewProc("SetInformationJobObject")
	assignToJob  = kernel32.NewProc("AssignProcessToJobObject")
	terminateJob = kernel32.NewProc("TerminateJobObject")
)

// A Job is a process with its children, in place of a process group. They end with the
// process that made the job, too.
type Job struct {
	mu     sync.Mutex
	handle syscall.Handle // 0 once it is closed
}

// NewJob puts a process in a job that was just started. A child that it has started by then is
// not in the job. If memoryBytes is not zero, an allocation beyond fails in each process.
func NewJob(p *os.Process, memoryBytes uintptr) (*Job, error) {
	h, _, err := createJob.Call(0, 0)
	if h == 0 {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	j := &Job{handle: syscall.Handle(h)}
	if err = j.limit(memoryBytes); err == nil {
		err = j.assign(p)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type jobLimits struct {
	_                [2]int64 // processor time
	flags            uint32
	_                [2]uintptr // working set
	_                uint32     // processes
	_                uintptr    // affinity
	_                [2]uint32  // priority and scheduling
	_                [8 - unsafe.Sizeof(uintptr(0))]byte
	_                [6]uint64 // transfers
	memoryPerProcess uintptr
	_                [3]uintptr // memory of the job, and peaks
}

func (j *Job) limit(memoryBytes uintptr) error {
	const (
		extendedLimits = 9
		limitMemory    = 0x100
		killWhenClosed = 0x2000
	)
	l := jobLimits{flags: killWhenClosed}
	if memoryBytes > 0 {
		l.flags |= limitMemory
		l.memoryPerProcess = memoryBytes
	}
	if ok, _, err := setJob.Call(uintptr(j.handle), extendedLimits, uintptr(unsafe.Pointer(&l)), unsafe.Sizeof(l)); ok == 0 {
		return os.NewSyscallError("SetInformationJobObject", err)
	}
	return nil
}

func (j *Job) assign(p *os.Process) error {
	const setQuota = 0x100
	h, err := syscall.OpenProcess(setQuota|syscall.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer syscall.CloseHandle(h)
	if ok, _, err := assignToJob.Call(uintptr(j.handle), uintptr(h)); ok == 0 {
		return os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return nil
}

// Kill ends the processes. Afterwards, and on a nil job, it does nothing.
func (j *Job) Kill() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		const status = 1
		_, _, _ = terminateJob.Call(uintptr(j.handle), status)
	}
}

// Close ends the processes and frees the job.
func (j *Job) Close() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		_ = syscall.CloseHandle(j.handle)
		j.handle = 0
	}
}
