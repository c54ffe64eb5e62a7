// Package event prints the results of commands, as text for people or as JSON of
// schema 1, one object a line.
//
//	p := event.NewPrinter(os.Stdout, os.Stderr, event.Options{JSON: true})
//	p.Print(&event.Fixed{Package: "container/list", Name: "finding panic:nil:F"})
//
// prints {"schema":1,"event":"fixed","package":"container/list",…}. Names and types of
// JSON fields are part of schema 1 and do not change.
package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
)

// schema is the version of the JSON output.
const schema = 1

// An Event is a result of a command.
type Event interface {
	name() string
	text(p *Printer) // prints it for people
}

// A composite event follows some others in JSON. It is none itself if it has no name.
type composite interface{ before() []Event }

// Options say how a Printer prints.
type Options struct {
	JSON    bool
	Verbose bool
	GitHub  bool   // findings are annotations of a GitHub workflow, too
	Color   Color  // ColorAuto if empty
	Dir     string // file names are printed relative to it
	Stop    func() // called if nobody reads the output any more; may be nil
}

// A Printer prints events, warnings, errors and progress.
type Printer struct {
	Options
	stdout, stderr io.Writer
	fd             int
	live           bool // stdout is a terminal, and people read it
	now            *stage
	last           time.Duration // when progress was last printed
	width          func() int    // of the terminal
	mu             sync.Mutex
	drawn          int // the lines of progress that the terminal shows; held by mu
	color          bool
}

// NewPrinter returns a Printer. Progress is redrawn in place if stdout is a terminal.
func NewPrinter(stdout, stderr io.Writer, o Options) *Printer {
	p := &Printer{Options: o, stdout: &watched{stdout, o.Stop}, stderr: stderr}
	if f, ok := stdout.(*os.File); ok && !o.JSON {
		p.fd = int(f.Fd())
		p.live = term.IsTerminal(p.fd) && os.Getenv("TERM") != "dumb"
	}
	p.width = func() int { return terminalWidth(p.fd) }
	p.color = o.Color.on(p.live, os.Getenv("NO_COLOR")) && !o.JSON
	return p
}

// watched is a writer that calls stop if a write fails.
type watched struct {
	io.Writer
	stop func()
}

// Write implements [io.Writer].
func (w *watched) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil && w.stop != nil {
		w.stop()
	}
	return n, err
}

// Print prints an event.
func (p *Printer) Print(e Event) {
	p.Quiet()
	if !p.JSON {
		e.text(p)
		return
	}
	if c, ok := e.(composite); ok {
		for _, part := range c.before() {
			p.Print(part)
		}
		if e.name() == "" {
			return
		}
	}
	// If nobody reads the output any more, the results are stored all the same.
	_, _ = p.stdout.Write(encode(e))
}

// encode returns the JSON form of an event, as a line.
func encode(e Event) []byte {
	var fields bytes.Buffer
	enc := json.NewEncoder(&fields)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		panic(fmt.Sprintf("event %s: %v", e.name(), err))
	}
	head := fmt.Sprintf(`{"schema":%d,"event":%q,`, schema, e.name())
	return append([]byte(head), fields.Bytes()[1:]...)
}

// Printf prints a line of text, nothing in JSON.
func (p *Printer) Printf(format string, args ...any) {
	if !p.JSON {
		p.clear()
		fmt.Fprintf(p.stdout, format+"\n", args...)
	}
}

// when returns a part of a text if it is to be there.
func when(is bool, format string, args ...any) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Errors prints the errors joined in err, each with its hint, and counts them.
func (p *Printer) Errors(err error) int {
	if err == nil {
		return 0
	}
	p.Quiet()
	return PrintError(p.stderr, err)
}

// PrintError prints an error, or each of those joined in it. A hint is printed on a line
// of its own. It returns the number of errors.
func PrintError(w io.Writer, err error) int {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		n := 0
		for _, err := range j.Unwrap() {
			n += PrintError(w, err)
		}
		return n
	}
	fmt.Fprintf(w, "foray: %s\n", text.Printable(err.Error()))
	if e, ok := err.(*load.Error); ok && e.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", e.Hint)
	}
	return 1
}

// Warn prints a warning and, if there is one, a hint.
func (p *Printer) Warn(msg, hint string) {
	p.Quiet()
	fmt.Fprintf(p.stderr, "foray: warning: %s\n", text.Printable(msg))
	if hint != "" {
		fmt.Fprintf(p.stderr, "  hint: %s\n", hint)
	}
}

// Note prints a message if -v is set.
func (p *Printer) Note(msg string) {
	if p.Verbose {
		p.Quiet()
		fmt.Fprintf(p.stderr, "foray: %s\n", text.Printable(msg))
	}
}

// Interrupted tells that a run is about to end early. Any goroutine may call it.
func (p *Printer) Interrupted() {
	p.clear()
	fmt.Fprint(p.stderr, "\nforay: interrupted; findings and corpus are kept (interrupt again to end at once)\n")
}

// Relative shortens the absolute name of a file that is near the user's directory.
func (p *Printer) Relative(name string) string {
	if rel, err := filepath.Rel(p.Dir, name); err == nil && !strings.HasPrefix(rel, filepath.Join("..", "..")) {
		return rel
	}
	return name
}

// How often progress is printed, on a terminal and elsewhere, where it begins sooner. A line
// comes as seldom as a part of the time so far, so that logs of hours can be read.
const (
	liveEvery     = 200 * time.Millisecond
	progressFirst = time.Second
	progressEvery = 3 * time.Second
	progressLast  = time.Minute
	progressPart  = 20 // as in a run of a minute, to whose end it changes nothing
)

// Begin starts the clock of [Printer.Progress].
func (p *Printer) Begin() { p.last = 0 }

// Progress prints a line now and then. A terminal shows the lines of block instead, which
// are rewritten in place; if block is nil it shows the line.
func (p *Printer) Progress(elapsed time.Duration, line func() string, block func() []string) {
	every := min(max(progressEvery, elapsed/progressPart), progressLast)
	switch {
	case p.live:
		every = liveEvery
	case p.last == 0:
		every = progressFirst
	}
	if p.JSON || elapsed-p.last < every {
		return
	}
	p.last = elapsed
	switch {
	case !p.live:
		fmt.Fprintln(p.stdout, line())
	case block == nil:
		p.draw(line())
	default:
		p.draw(block()...)
	}
}

// Live reports whether progress is redrawn in place.
func (p *Printer) Live() bool { return p.live }

// draw replaces the lines drawn before. It cuts them to the width of the terminal, with
// room for a ^C: one that wraps could not be taken back.
func (p *Printer) draw(lines ...string) {
	width := p.width()
	for i := range lines {
		lines[i] = text.Cut(lines[i], width-4)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// Taken back and drawn by one write, so that nothing flickers.
	fmt.Fprint(p.stdout, p.erasure()+strings.Join(lines, "\n"))
	p.drawn = len(lines)
}

// terminalWidth returns the width of the terminal of a file descriptor, 80 if it is not known.
func terminalWidth(fd int) int {
	if w, _, err := term.GetSize(fd); err == nil && w > 0 {
		return w
	}
	return 80
}

// erasure returns what moves the cursor to the begin of the lines drawn and removes them.
func (p *Printer) erasure() string {
	if p.drawn > 1 {
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", p.drawn-1)
	}
	return "\r\x1b[J"
}

// clear removes live progress.
func (p *Printer) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn > 0 {
		fmt.Fprint(p.stdout, p.erasure())
		p.drawn = 0
	}
}
