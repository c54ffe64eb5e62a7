// Package godump parses the text that the Go runtime prints of goroutines: in a fatal
// error, on SIGQUIT, from [runtime.Stack] and in a goroutine profile. It also takes the
// names of functions in that text apart. Text that it does not understand it skips.
//
//	for _, g := range godump.Parse(stderr) {
//		fmt.Println(g.ID, g.State, g.Frames())
//	}
package godump

import (
	"slices"
	"strconv"
	"strings"
)

// A Goroutine is one goroutine of a dump.
type Goroutine struct {
	ID     uint64
	State  string // "running", "chan receive", "sync.Mutex.Lock" …
	Leaked bool   // the garbage collector found that nothing can end its wait
	Text   string // its part of the dump, from the header on
}

// A Frame is one call on a stack.
type Frame struct {
	Func string // as runtime.Frame.Function has it: "example.org/p.(*T[...]).M.func1"
	File string
	Line int
}

// Parse returns the goroutines of a dump, in its order.
func Parse(dump string) []Goroutine {
	var list []Goroutine
	begin := -1 // of the text of the last goroutine, while it lasts
	end := func(at int) {
		if begin >= 0 {
			list[len(list)-1].Text = strings.TrimSuffix(dump[begin:at], "\n")
		}
		begin = -1
	}
	for at := 0; at < len(dump); {
		next := len(dump)
		if i := strings.IndexByte(dump[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := strings.TrimSuffix(dump[at:next], "\n")
		if g, ok := parseHeader(line); ok {
			end(at)
			list, begin = append(list, g), at
		} else if line == "" || strings.HasPrefix(line, "runtime stack:") {
			end(at)
		}
		at = next
	}
	end(len(dump))
	return list
}

// parseHeader parses the first line of a goroutine:
// "goroutine 7 gp=0xc000 m=nil [chan receive, 2 minutes, locked to thread]:".
func parseHeader(line string) (Goroutine, bool) {
	rest, ok := strings.CutPrefix(line, "goroutine ")
	rest, closed := strings.CutSuffix(rest, "]:")
	bracket := strings.LastIndexByte(rest, '[')
	if !ok || !closed || bracket < 0 {
		return Goroutine{}, false
	}
	number, _, _ := strings.Cut(rest, " ")
	id, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return Goroutine{}, false
	}
	state, _, _ := strings.Cut(rest[bracket+1:], ",")
	state, leaked := strings.CutSuffix(strings.TrimSuffix(state, " (durable)"), " (leaked)")
	return Goroutine{ID: id, State: state, Leaked: leaked}, true
}

// createdBy begins the line that names the function which started a goroutine.
const createdBy = "created by "

// Frames returns the calls on the stack of g, innermost first.
func (g *Goroutine) Frames() []Frame {
	var frames []Frame
	header := true
	for line := range strings.Lines(g.Text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case header:
			header = false
		case strings.HasPrefix(line, createdBy):
			return frames
		case strings.HasPrefix(line, "\t"):
			if len(frames) > 0 {
				frames[len(frames)-1].setPlace(line[1:])
			}
		case strings.HasSuffix(line, ")"):
			frames = append(frames, Frame{Func: withoutArgs(line)})
		}
	}
	return frames
}

// Runs reports whether g was running, or would have if the machine had let it. The runtime
// copies the stack of a running goroutine when that grows, and has one that allocates collect
// garbage or wait for that.
func (g *Goroutine) Runs() bool {
	switch g.State {
	case "running", "runnable", "preempted", "copystack",
		"GC assist marking", "GC assist wait", "garbage collection", "stopping the world", "wait for GC cycle":
		return true
	}
	return false
}

// Creator returns the name of the function that started g, "" if the dump has none.
func (g *Goroutine) Creator() string {
	name, _ := g.created()
	return name
}

// Parent returns the number of the goroutine that started g, 0 if the dump has none.
func (g *Goroutine) Parent() uint64 {
	_, in := g.created()
	id, err := strconv.ParseUint(in, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func (g *Goroutine) created() (name, in string) {
	for line := range strings.Lines(g.Text) {
		if text, ok := strings.CutPrefix(line, createdBy); ok {
			name, in, _ = strings.Cut(strings.TrimSuffix(text, "\n"), " in goroutine ")
		}
	}
	return name, in
}

// RunsFor returns a goroutine of a dump that runs and that goroutine id has started, itself or
// by others; nil if there is none.
func RunsFor(dump []Goroutine, id uint64) *Goroutine {
	parents := make(map[uint64]uint64, len(dump))
	for i := range dump {
		parents[dump[i].ID] = dump[i].Parent()
	}
	for i := range dump {
		from := dump[i].ID
		for depth := 0; depth < len(dump) && from != id && from != 0; depth++ {
			from = parents[from]
		}
		if dump[i].Runs() && dump[i].ID != id && from == id {
			return &dump[i]
		}
	}
	return nil
}

// Starter returns the member that started g: of "created by example.org/p.(*T[...]).Start in
// goroutine 7" it is "(*T).Start". The function of a timer tells who started that.
func (g *Goroutine) Starter() string {
	creator := g.Creator()
	if strings.HasPrefix(creator, "time.") {
		for _, f := range slices.Backward(g.Frames()) {
			if !strings.HasPrefix(f.Func, "time.") && !strings.HasPrefix(f.Func, "runtime.") {
				return Member(f.Func)
			}
		}
	}
	return Member(creator)
}

// Calls reports whether a function of that name is on the stack of g.
func (g *Goroutine) Calls(name string) bool {
	return name != "" && strings.Contains(g.Text, "\n"+name+"(")
}

// setPlace parses "/path/file.go:12 +0x1b".
func (f *Frame) setPlace(text string) {
	text, _, _ = strings.Cut(text, " +0x")
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		f.File = text[:i]
		f.Line, _ = strconv.Atoi(text[i+1:])
	}
}

// withoutArgs cuts the arguments off: "p.(*T).M({0x1, 0x2}, ...)" → "p.(*T).M".
func withoutArgs(call string) string {
	depth := 0
	for i := len(call) - 1; i > 0; i-- {
		switch call[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return call[:i]
			}
		}
	}
	return call
}
