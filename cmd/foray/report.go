package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/emit"
)

// printer prints for people: a line of progress now and then, rewritten in place
// on a terminal, and findings as they are confirmed.
type printer struct {
	w     io.Writer
	live  bool // a terminal
	last  time.Duration
	drawn bool // the cursor stands behind a progress line
	sides int
	total int // entries of earlier runs
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
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		p.drawn = true
		return
	}
	fmt.Fprintln(p.w, line)
}

func progressLine(s coordinator.Snapshot, sides, total int) string {
	rate := float64(s.Counts.Sequences) / max(s.Elapsed.Seconds(), 0.001)
	line := fmt.Sprintf("fuzz: elapsed: %ds, sequences: %d (%.0f/sec), values: %d, sides: %d/%d, new entries: %d (total: %d), findings: %d",
		int(s.Elapsed.Seconds()), s.Counts.Sequences, rate, s.Counts.Values, s.Covered.Count(), sides, s.Entries, s.Entries+total, s.Findings[engine.Error]+s.Findings[engine.Suspect])
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

// finding prints one confirmed finding.
func (p *printer) finding(t *seq.Table, f coordinator.Finding, file, rerun string) {
	p.clear()
	v := f.Verdict
	flaky := ""
	if f.Flaky {
		flaky = ", flaky"
	}
	fmt.Fprintf(p.w, "--- FAIL: %s (%s: %s%s)\n", t.Ops[v.Op].Short, v.Tier, v.Kind, flaky)
	fmt.Fprintf(p.w, "    %s\n", v.Message)
	if v.Document != "" {
		fmt.Fprintf(p.w, "    %s\n", v.Document)
	}
	fmt.Fprintf(p.w, "\n%s\n", indent(emit.Statements(t, f.Steps), "        "))
	if v.Kind == engine.KindContract {
		fmt.Fprintf(p.w, "        // contract %s\n", v.Contract)
	}
	if v.Stack != "" {
		fmt.Fprintf(p.w, "\n%s\n", indent(shorten(v.Stack, 8), "    "))
	}
	fmt.Fprintf(p.w, "    %s\n", lengths(t, f))
	if file != "" {
		fmt.Fprintf(p.w, "    written to %s\n", file)
	}
	fmt.Fprintf(p.w, "    re-run: %s\n\n", rerun)
}

func lengths(t *seq.Table, f coordinator.Finding) string {
	n, was := f.Steps.Calls(t), f.Original.Calls(t)
	if was > n {
		return fmt.Sprintf("%s, minimized from %d", plural(n, "call"), was)
	}
	return plural(n, "call")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func indent(text, by string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return by + strings.Join(lines, "\n"+by)
}

func shorten(text string, lines int) string {
	list := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(list) <= lines {
		return strings.Join(list, "\n")
	}
	return strings.Join(list[:lines], "\n") + fmt.Sprintf("\n… %d more lines", len(list)-lines)
}

// relative shortens a file name for printing where that is shorter.
func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		return rel
	}
	return file
}
