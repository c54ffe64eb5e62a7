package process

import (
	"os"
	"runtime"
	"syscall"
)

// answerDump has the process print its goroutines and end when f yields a byte, as the
// runtime does by SIGQUIT on other systems. The package under test may be os itself, so
// nothing of it is called then.
func answerDump(f *os.File) {
	fd, stderr := syscall.Handle(f.Fd()), syscall.Handle(os.Stderr.Fd())
	go func() {
		var b [1]byte
		if n, err := syscall.Read(fd, b[:]); n == 0 || err != nil {
			return // the coordinator is gone
		}
		dump := make([]byte, dumpBytes)
		text := append([]byte("SIGQUIT: quit\n\n"), dump[:runtime.Stack(dump, true)]...)
		for len(text) > 0 {
			n, err := syscall.Write(stderr, text)
			if err != nil {
				break
			}
			text = text[n:]
		}
		const crashed = 2
		syscall.ExitProcess(crashed)
	}()
}
