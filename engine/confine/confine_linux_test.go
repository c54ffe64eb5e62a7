package confine

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// In a confined process chmod reports success and changes nothing.
func TestModesStay(t *testing.T) {
	needFilter(t)
	dir := place(t)
	before := look(t, dir)
	cmd := exec.Command("chmod", "777", filepath.Join(dir, "f"))
	if err := run(cmd, t.TempDir()); err != nil {
		t.Errorf("chmod is not pretended: %v", err)
	}
	if after := look(t, dir); after != before {
		t.Errorf("modes have changed from\n%sto\n%s", before, after)
	}
}

// A process lives on though the goroutine that started it has gone, and dies with us
// only: Pdeathsig speaks of the thread.
func TestStartedOutlivesCaller(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan *Command)
	go func() {
		c, err := Start(cmd, t.TempDir())
		if err != nil {
			t.Error(err)
		}
		started <- c
	}()
	c := <-started
	if _, err := in.Write([]byte("still here")); err != nil {
		t.Error(err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil || out.String() != "still here" {
		t.Errorf("%v, said %q", err, out.String())
	}
}

// Nobody may set the clock, not even root. The test sets it to its present
// time, which does no harm if the filter fails.
func TestRefused(t *testing.T) {
	needFilter(t)
	if said, err := do(t, "clock", t.TempDir()); err == nil || !strings.Contains(said, syscall.EPERM.Error()) {
		t.Errorf("error %v, want EPERM: %s", err, said)
	}
}

// No connection can be opened, not even to this machine.
func TestConnect(t *testing.T) {
	if version() < 4 {
		t.Skip("this kernel does not confine connections")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("unconfined: %v", err)
	}
	c.Close()
	if said, err := do(t, "connect", l.Addr().String(), t.TempDir()); err == nil || !strings.Contains(said, syscall.EACCES.Error()) {
		t.Errorf("error %v, want EACCES: %s", err, said)
	}
}

// No datagram can be sent; listening for connections is harmless.
func TestDatagram(t *testing.T) {
	needFilter(t)
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, network := range []string{"udp", "udp6"} {
		if said, err := do(t, "send by "+network, l.LocalAddr().String(), t.TempDir()); err == nil || !strings.Contains(said, syscall.EACCES.Error()) {
			t.Errorf("%s: error %v, want EACCES: %s", network, err, said)
		}
	}
	c, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatalf("unconfined: %v", err)
	}
	c.Close()
	if said, err := do(t, "listen", "127.0.0.1:0", t.TempDir()); err != nil {
		t.Errorf("listen: %v: %s", err, said)
	}
}

// Not even root may change a network interface. The test sets the flags that the interface has,
// which does no harm if it may.
func TestPrivileges(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may change an interface")
	}
	cmd := exec.Command(os.Args[0], "lo")
	cmd.Env = append(os.Environ(), deed+"=interface")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no privilege to begin with: %v: %s", err, said)
	}
	if said, err := do(t, "interface", "lo", t.TempDir()); err == nil || !strings.Contains(said, syscall.EPERM.Error()) {
		t.Errorf("error %v, want EPERM: %s", err, said)
	}
}

// No process outside can be signalled, not even to ask whether it exists.
func TestSignal(t *testing.T) {
	if version() < 6 {
		t.Skip("this kernel does not confine signals")
	}
	self := strconv.Itoa(os.Getpid())
	cmd := exec.Command(os.Args[0], self)
	cmd.Env = append(os.Environ(), deed+"=signal")
	if err := cmd.Run(); err != nil {
		t.Fatalf("unconfined: %v", err)
	}
	if said, err := do(t, "signal", self, t.TempDir()); err == nil || !strings.Contains(said, syscall.EPERM.Error()) {
		t.Errorf("error %v, want EPERM: %s", err, said)
	}
}

// The main thread stays free, though a goroutine would run on it. With one processor a
// process that has just begun would use no other thread.
func TestMainThreadIsFree(t *testing.T) {
	cmd := exec.Command(os.Args[0], "")
	cmd.Env = append(os.Environ(), deed+"=threads", "GOMAXPROCS=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

func needFilter(t *testing.T) {
	t.Helper()
	if auditArch == 0 {
		t.Skip("no filter on this architecture")
	}
}

func init() {
	others["connect"] = func(addr string) error { _, err := net.Dial("tcp", addr); return err }
	others["send by udp"] = func(addr string) error { _, err := net.Dial("udp", addr); return err }
	others["send by udp6"] = func(string) error {
		fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
		if err == nil {
			err = syscall.Close(fd)
		}
		return err
	}
	others["listen"] = func(addr string) error { _, err := net.Listen("tcp", addr); return err }
	others["clock"] = func(string) error {
		var now syscall.Timeval
		if err := syscall.Gettimeofday(&now); err != nil {
			return err
		}
		return syscall.Settimeofday(&now)
	}
	others["interface"] = func(name string) error {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		request := struct { // struct ifreq
			name  [syscall.IFNAMSIZ]byte
			flags uint16
			_     [22]byte
		}{}
		copy(request.name[:], name)
		for _, call := range []uintptr{syscall.SIOCGIFFLAGS, syscall.SIOCSIFFLAGS} {
			if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), call, uintptr(unsafe.Pointer(&request))); errno != 0 {
				return errno
			}
		}
		return nil
	}
	others["threads"] = func(string) error {
		for range 20 {
			main := make(chan bool)
			onOwnThread(func() { main <- isMainThread() })
			if <-main {
				return errors.New("the main thread is taken")
			}
		}
		return nil
	}
	others["signal"] = func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return err
		}
		return syscall.Kill(n, 0)
	}
}
