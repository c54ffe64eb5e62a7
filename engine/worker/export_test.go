package worker

import (
	"testing"
	"time"
)

// AnswerWithin bounds in a test how long a process may take to tell the stack of a call.
func AnswerWithin(t *testing.T, d time.Duration) {
	before := answerTime
	t.Cleanup(func() { answerTime = before })
	answerTime = d
}

// DrainWithin bounds in a test how long the next report of a dead process is waited for.
func DrainWithin(t *testing.T, d time.Duration) {
	before := drainTime
	t.Cleanup(func() { drainTime = before })
	drainTime = d
}

// ReadyWithin bounds in a test how long a worker may take to start.
func ReadyWithin(t *testing.T, d time.Duration) {
	before := readyTimeout
	t.Cleanup(func() { readyTimeout = before })
	readyTimeout = d
}

// Pid returns the id of a process.
func Pid(p *Process) int { return p.cmd.Process.Pid }

// Args returns os.Args as a process of s has it.
func Args(s Spawn) []string { return s.command().Args }
