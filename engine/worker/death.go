package worker

import (
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// Death is how a process ended that should not have.
type Death struct {
	Hang     bool
	Idle     bool   // it hung without using the processor
	Memory   bool   // it was ended near the limit of its memory
	ExitCode int    // -1 if a signal ended it
	Signal   string // that ended it, if one did
	Stderr   string
	// Judging says that it died in a contract, behind the last step, and that what
	// the contract called is not known.
	Judging bool
	// Goroutine is the number of the one that ran the steps, 0 if it is the only one.
	Goroutine uint64
	Goexit    bool // only the goroutine of the call ended: runtime.Goexit
}

// Death returns how p ended, which must have exited. hung says that it was ended for
// hanging.
func (p *Process) Death(hung bool) Death {
	p.mu.Lock()
	idle, full := p.idle, p.full
	p.mu.Unlock()
	d := Death{
		Hang: hung && !full, Memory: hung && full, Idle: hung && idle,
		ExitCode: p.cmd.ProcessState.ExitCode(), Stderr: p.stderr.String(),
		Judging: p.shared.Judging.Load() != 0, Goroutine: p.shared.Goroutine.Load(),
	}
	if sig := signalOf(p.cmd.ProcessState); sig != "" && !hung {
		d.Signal = sig
	}
	return d
}

// DeathOf returns what the loss of a call has in common with the death of a process.
func DeathOf(m *wire.Lost) Death {
	return Death{Hang: !m.Goexit, Idle: !m.Goexit && !m.Endless, Goexit: m.Goexit, Judging: m.Judging, Stderr: m.Stack}
}

// Running returns the sequence that was running when p ended.
func (p *Process) Running(t *seq.Table, literals []*seq.Literal) (seq.Sequence, error) {
	return seq.DecodeSteps(t, literals, p.shared.Running())
}

// Earlier returns the last sequences that came to their end before, oldest first.
func (p *Process) Earlier(t *seq.Table, literals []*seq.Literal) []seq.Sequence {
	var list []seq.Sequence
	for _, b := range p.shared.Earlier() {
		if s, err := seq.DecodeSteps(t, literals, b); err == nil && len(s) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// adapterFrame is part of the name of the function that runs steps, in a stack.
const adapterFrame = "executor.(*Executor).call("

// Late reports whether a panic ended the process in a goroutine that did not run
// the step, which began before it: that of a step is recovered.
func (d Death) Late() bool {
	i := strings.Index(d.Stderr, "panic: ")
	if i < 0 || d.Hang || d.Memory {
		return false
	}
	return !strings.Contains(firstGoroutine(d.Stderr[i:]), adapterFrame)
}

// Thrown reports whether a func literal of foray's own panicked where nobody recovers.
func (d Death) Thrown() bool {
	return !d.Hang && strings.Contains(d.Stderr, "panic: "+engine.Thrown)
}

// Starter returns the member that started the goroutine which ended the process, the
// first of the dump; "" if none did: of "created by example.org/p.(*T[...]).Start in
// goroutine 7" it returns "(*T).Start".
func (d Death) Starter() string {
	for line := range strings.Lines(firstGoroutine(d.Stderr)) {
		if name, ok := strings.CutPrefix(line, "created by "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " in goroutine")
			return memberOf(name)
		}
	}
	return ""
}

// Blamed returns the operations that a death is to be blamed on: those of the member
// that started the goroutine which ended the process, if none of a step did, else all
// instances of the last step of s, which ran. It returns none if nothing is known.
func (d Death) Blamed(t *seq.Table, s seq.Sequence) []seq.OpID {
	if d.Late() {
		if member := d.Starter(); member != "" {
			if ops := t.OpsThat(func(op *seq.Operation) bool { return op.Member == member }); len(ops) > 0 {
				return ops
			}
		}
	}
	if len(s) == 0 {
		return nil
	}
	return t.Instances(s[len(s)-1].Op)
}

// firstGoroutine returns the stack of the first goroutine of a dump.
func firstGoroutine(dump string) string {
	if i := strings.Index(dump, "\ngoroutine "); i >= 0 {
		dump = dump[i+1:]
	}
	first, _, _ := strings.Cut(dump, "\n\n")
	return first
}

// memberOf turns a name of the runtime's into a member: "example.org/p.(*T[...]).M.func1" into "(*T).M".
func memberOf(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	name = strings.ReplaceAll(name, "[...]", "")
	if recv, rest, ok := strings.Cut(name, ")."); ok {
		method, _, _ := strings.Cut(rest, ".")
		return recv + ")." + method
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// Kind returns the kind of finding that a death is, by how the process ended and by
// what it wrote.
func (d Death) Kind() string {
	wrote := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(d.Stderr, t) })
	}
	switch {
	case d.Hang:
		return engine.KindHang
	case d.Memory || wrote("out of memory", "cannot allocate memory"):
		return engine.KindMemory
	case d.Signal != "" || wrote("fatal error: ", "panic: ", "[signal "):
		return engine.KindFatal
	}
	return engine.KindExit
}
