package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/emit"
)

// printer prints for people: a line of progress now and then, rewritten in place
// on a terminal, and findings as they are confirmed.
type printer struct {
	w     io.Writer
	fd    int
	live  bool // fd is a terminal
	last  time.Duration
	drawn bool // the cursor stands behind a progress line
	sides int
	total int // entries of earlier runs
}

// newPrinter returns a printer that writes to w, behind which is out.
func newPrinter(w, out io.Writer) *printer {
	p := &printer{w: w}
	if f, ok := out.(*os.File); ok {
		p.fd = int(f.Fd())
		p.live = term.IsTerminal(p.fd) && os.Getenv("TERM") != "dumb"
	}
	return p
}

// progressEvery is how often progress is told where no one watches it live.
const progressEvery = 3 * time.Second

// Progress prints where the run stands.
func (p *printer) Progress(s coordinator.Snapshot) {
	every := progressEvery
	if p.live {
		every = 200 * time.Millisecond
	}
	if s.Elapsed-p.last < every {
		return
	}
	p.last = s.Elapsed
	line := progressLine(s, p.sides, p.total)
	if p.live {
		p.draw(line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// draw puts a line in the place of the one drawn before, cut to the width of the
// terminal with room for a ^C: a longer one could not be taken back.
func (p *printer) draw(line string) {
	width := 80
	if w, _, err := term.GetSize(p.fd); err == nil && w > 0 {
		width = w
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", oneLine(line, width-4))
	p.drawn = true
}

func progressLine(s coordinator.Snapshot, sides, total int) string {
	rate := float64(s.Counts.Sequences) / max(s.Elapsed.Seconds(), 0.001)
	line := fmt.Sprintf("fuzz: elapsed: %ds, sequences: %d (%.0f/sec), findings: %d, sides: %d/%d, values: %d, new entries: %d (total: %d)",
		int(s.Elapsed.Seconds()), s.Counts.Sequences, rate, s.Findings[engine.Error]+s.Findings[engine.Suspect],
		s.Covered.Count(), sides, s.Counts.Values, s.Entries, s.Entries+total)
	if s.Pending > 0 {
		line += fmt.Sprintf(", to confirm: %d", s.Pending)
	}
	if s.Deaths > 0 {
		line += fmt.Sprintf(", restarts: %d", s.Deaths)
	}
	return line
}

// clear ends a live progress line.
func (p *printer) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *printer) println(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// shown is a finding as it is printed.
type shown struct {
	confirm.Finding
	path   string // of the package
	target bool   // of a fuzz target
	seed   *seed  // nil if it was found earlier
	file   string // that holds its test
	rerun  string
}

// finding prints one confirmed finding.
func (p *printer) finding(t *seq.Table, f shown) {
	p.clear()
	v := f.Verdict
	flaky := ""
	if f.Flaky {
		flaky = ", flaky"
	}
	fmt.Fprintf(p.w, "--- FAIL: %s (%s: %s%s)\n", t.Ops[v.Op].Short, v.Tier, v.Kind, flaky)
	fmt.Fprintf(p.w, "%s\n", indent(v.Message, "    "))
	if v.Document != "" {
		fmt.Fprintf(p.w, "%s\n", indent(v.Document, "    "))
	}
	fmt.Fprintf(p.w, "%s\n", indent(code(t, f.Finding), "        "))
	if v.Stack != "" {
		stack := v.Stack
		if v.Kind != engine.KindRace { // of which both sides are short
			stack = shorten(stack, f.path)
		}
		fmt.Fprintf(p.w, "%s\n", indent(stack, "    "))
	}
	fmt.Fprintf(p.w, "    %s\n", origin(t, f))
	fmt.Fprintf(p.w, "    signature %s\n", v.Signature)
	if f.file != "" {
		fmt.Fprintf(p.w, "    written to %s\n", f.file)
	}
	fmt.Fprintf(p.w, "    re-run: %s\n\n", f.rerun)
}

// stillThere prints a finding of an earlier run that shows still.
func (p *printer) stillThere(t *seq.Table, f confirm.Finding, old *store.Finding, file string) {
	p.clear()
	v := f.Verdict
	fmt.Fprintf(p.w, "--- still there: %s (%s: %s)\n", t.Ops[v.Op].Short, v.Tier, v.Kind)
	fmt.Fprintf(p.w, "%s\n", indent(v.Message, "    "))
	text := "found " + old.First.Format(time.DateOnly)
	if old.Hits > 0 {
		text += ", " + plural(int(old.Hits), "sequence") + " ended in it since"
	}
	fmt.Fprintf(p.w, "    %s\n    signature %s\n    written to %s\n\n", text, v.Signature, file)
}

// code returns the calls of a finding as Go, and what does not hold behind them.
func code(t *seq.Table, f confirm.Finding) string {
	v := f.Verdict
	if v.Kind == engine.KindRace {
		if first, both, err := emit.Fork(t, f.Steps, v.Fork); err == nil {
			return strings.TrimRight(first+"// and then, in two goroutines at once:\n"+both, "\n")
		}
	}
	if v.Assert == "" {
		return emit.Shown(t, f.Steps, &v)
	}
	if text, assert, err := emit.Assertion(t, f.Steps, &v); err == nil {
		fails := "false"
		if v.Kind == engine.KindPanic {
			fails = "panics"
		}
		return strings.TrimRight(text, "\n") + "\n// " + fails + ": " + oneLine(assert, 100)
	}
	return emit.Shown(t, f.Steps, &v)
}

// origin tells what a finding was minimized from.
func origin(t *seq.Table, f shown) string {
	n, was, noun := f.Steps.Calls(t), f.Original.Calls(t), "call"
	if f.target {
		n, was, noun = inputBytes(f.Steps), inputBytes(f.Original), "byte"
	}
	text := plural(n, noun)
	if was > n {
		text = fmt.Sprintf("minimized from %s to %d", plural(was, noun), n)
	}
	if f.seed != nil {
		text = fmt.Sprintf("seed %d, %s", f.seed.n, text)
	}
	return text
}

// inputBytes returns how long the strings are that the calls of s take.
func inputBytes(s seq.Sequence) int {
	n := 0
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil {
				text, _ := a.Lit.Value.(string)
				n += len(text)
			}
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func indent(text, by string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return by + strings.Join(lines, "\n"+by)
}

// maxFrames is how many frames of a stack are printed; the finding's file has all.
const maxFrames = 5

// shorten leaves out of a stack what does not lead to the cause: of the frames
// outside of the package it keeps the first, where it happened, and of those of a
// recursion the last.
func shorten(stack, path string) string {
	var b strings.Builder
	frames, left := 0, 0
	keep := false
	last := ""
	for line := range strings.Lines(strings.TrimRight(stack, "\n") + "\n") {
		if !strings.HasPrefix(line, "\t") {
			keep = frames < maxFrames && (frames == 0 || strings.HasPrefix(line, path+".")) && line != last
			if !keep {
				left++
				continue
			}
			last = line
			if frames++; left > 0 {
				fmt.Fprintf(&b, "… %s\n", plural(left, "frame"))
				left = 0
			}
		}
		if keep {
			b.WriteString(line)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "… %s\n", plural(left, "frame"))
	}
	return b.String()
}

// oneLine cuts text to one line of at most n runes.
func oneLine(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return string(r)
}
