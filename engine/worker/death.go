package worker

import (
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A Death is the unexpected end of a process, or a goroutine stuck in a call that did
// not return.
type Death struct {
	Hang     bool
	Idle     bool   // it hung without using the processor
	Memory   bool   // it was ended near the limit of its memory
	ExitCode int    // -1 if a signal ended it
	Signal   string // the signal that ended it, if any, such as SIGKILL; SIGSTOP if it stopped itself
	Crashed  bool   // the Go runtime ended it, and said why
	Stderr   string // after the stacks that it told when it hung
	// Oracle is set if it died in a contract or law after the last step, and the call that
	// this made is none of the sequence.
	Oracle engine.OracleID
	// Goroutine is the number of the goroutine that ran the steps, 0 if it is the only one.
	Goroutine uint64
	Goexit    bool   // only the goroutine of the call ended: runtime.Goexit
	StepFunc  string // the function that calls the operations, as stacks name it
}

// Death returns how p ended, which must have exited.
func (p *Process) Death() Death {
	r := p.ExitReason()
	if r.Hung && crashed(p.cmd.ProcessState, p.stderr.String()) && diedFirst(p.stderr.String()) {
		r.Hung = false
	}
	d := Death{
		Hang: r.Hung && !r.Full, Memory: r.Hung && r.Full, Idle: r.Hung && r.Idle,
		ExitCode: p.cmd.ProcessState.ExitCode(), Stderr: p.shared.ToldStacks() + p.stderr.String(),
		Oracle: engine.OracleID(p.shared.Oracle.Load()), Goroutine: p.shared.Goroutine.Load(), StepFunc: p.stepFunc,
	}
	switch {
	case r.Stopped:
		d.Hang, d.Idle, d.Signal = false, false, "SIGSTOP"
	case !r.Hung:
		d.Signal = signalOf(p.cmd.ProcessState)
		d.Crashed = crashed(p.cmd.ProcessState, d.Stderr)
		for _, m := range unhandled.FindAllStringSubmatch(d.Stderr, -1) {
			// The runtime sends SIGQUIT to its own threads when it crashes.
			if d.Crashed && m[1] != "SIGQUIT" && !crashLine.MatchString(d.Stderr) {
				d.Signal = m[1]
			}
		}
	}
	if d.Crashed {
		d.Stderr = ofCrash(d.Stderr)
	}
	return d
}

// inDump matches the first line of a goroutine in a dump.
var inDump = regexp.MustCompile(`(?m)^goroutine \d+ .*\[`)

// ofCrash returns the text of a crash, which begins with the last message before the first
// goroutine. What the code under test printed earlier may look like such a message.
func ofCrash(text string) string {
	end := len(text)
	if at := inDump.FindStringIndex(text); at != nil {
		end = at[0]
	}
	if all := crashLine.FindAllStringIndex(text[:end], -1); len(all) > 0 {
		return text[all[len(all)-1][0]:]
	}
	return text
}

// ownDump matches the message of a panic or fatal error with the dump that follows it.
var ownDump = regexp.MustCompile(`(?ms)^(panic|fatal error): .*?^goroutine \d+ .*?\[running`)

// diedFirst reports whether the text of a process that was made to print its goroutines tells
// that it was about to die of something else: printing that takes a while.
func diedFirst(text string) bool {
	before, _, _ := strings.Cut(text, "SIGQUIT: ")
	return ownDump.MatchString(before)
}

// unhandled matches the message of the runtime for a signal that it does not handle.
var unhandled = regexp.MustCompile(`(?m)^(SIG[A-Z0-9]+): `)

// Dump returns the text of the runtime: of a crash, or the goroutines of a process that
// hung. Other text may say anything.
func (d *Death) Dump() string {
	if d.Hang || d.Memory || d.Goexit || d.Crashed {
		return d.Stderr
	}
	return ""
}

// DeathOf returns the end of a call that a worker gave up.
func DeathOf(m *wire.Lost) Death {
	d := Death{Hang: !m.Goexit, Idle: !m.Goexit && !m.Endless, Goexit: m.Goexit, Oracle: m.Oracle, Stderr: m.Stack}
	if gs := godump.Parse(m.Stack); len(gs) > 0 {
		d.Goroutine = gs[0].ID
		d.Idle = d.Idle && godump.RunsFor(gs, d.Goroutine) == nil
	}
	return d
}

// Running returns the sequence that was running when p ended.
func (p *Process) Running(t *seq.Table, literals []*seq.Literal) (seq.Sequence, error) {
	return seq.DecodeSteps(t, literals, p.shared.Running())
}

// Earlier returns the last sequences that completed, oldest first.
func (p *Process) Earlier(t *seq.Table, literals []*seq.Literal) []seq.Sequence {
	var list []seq.Sequence
	for _, b := range p.shared.Earlier() {
		if s, err := seq.DecodeSteps(t, literals, b); err == nil && len(s) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Cause returns the death of a process that ran s as package restrict looks at it.
func (d Death) Cause(s seq.Sequence) restrict.Death {
	kind := d.Kind()
	literals, throws := d.literals()
	return restrict.Death{
		Steps: s, Starter: d.Starter(), Late: d.Late(), OwnPanic: !d.Hang && strings.Contains(d.Stderr, panicMark+seq.Thrown),
		Idle: d.Idle, Costly: kind == engine.KindHang || kind == engine.KindMemory, Memory: kind == engine.KindMemory,
		Oracle:   d.Oracle,
		Literals: literals, Throws: throws,
		Overflow: strings.Contains(d.Stderr, "stack overflow"),
	}
}

// panicMark begins the message of a panic that nothing recovered.
const panicMark = "panic: "

// Late reports whether a panic ended the process in another goroutine than the one that
// runs the steps: a panic of a step is recovered.
func (d Death) Late() bool {
	_, ok := d.latePanic()
	return ok
}

// latePanic returns the goroutine that panicked and so ended the process, if it is not
// the one that runs the steps. The goroutine is zero if its stack is missing.
func (d Death) latePanic() (g godump.Goroutine, ok bool) {
	i := strings.Index(d.Stderr, panicMark)
	if i < 0 || d.Hang || d.Memory || !d.Crashed {
		return g, false
	}
	if list := godump.Parse(d.Stderr[i:]); len(list) > 0 {
		g = list[0]
	}
	return g, !g.Calls(d.StepFunc)
}

// Starter returns the member that started the goroutine of a late panic, "" if there is
// none.
func (d Death) Starter() string {
	g, late := d.latePanic()
	if !late {
		return ""
	}
	return g.Starter()
}

// inAdapter matches the name of a func literal that an adapter hands out, with its operation.
var inAdapter = regexp.MustCompile(`\.` + seq.AdapterName + `(\d+)\.func`)

// literals returns the func literals of adapters that the goroutine of a late panic was in,
// innermost first, and whether the first of them panicked itself.
func (d Death) literals() (list []seq.OpID, throws bool) {
	g, late := d.latePanic()
	if !late {
		return nil, false
	}
	throws = true
	for _, f := range g.Frames() {
		if m := inAdapter.FindStringSubmatch(f.Func); m != nil {
			id, _ := strconv.Atoi(m[1])
			list = append(list, seq.OpID(id))
		} else if len(list) == 0 && f.Func != "panic" && !strings.HasPrefix(f.Func, "runtime.") {
			throws = false
		}
	}
	return list, throws && len(list) > 0
}

// outOfMemory matches the message of the runtime when an allocation fails.
var outOfMemory = regexp.MustCompile(`(?m)^(fatal error|runtime): .*(out of memory|cannot allocate memory)`)

// Kind returns the kind of finding that a death is. It follows from how the process
// ended: only the text of the runtime is looked at.
func (d Death) Kind() string {
	switch {
	case d.Hang:
		return engine.KindHang
	case d.Memory || d.Crashed && outOfMemory.MatchString(d.Stderr):
		return engine.KindMemory
	case d.Signal != "" || d.Crashed:
		return engine.KindFatal
	}
	return engine.KindExit
}
