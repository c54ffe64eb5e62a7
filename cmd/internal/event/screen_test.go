package event

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
)

// A screen shows what is written to it as a terminal of a width does. A line as long as the
// width wraps when more comes.
type screen struct {
	width    int
	rows     [][]rune
	row, col int
}

// Write implements [io.Writer].
func (s *screen) Write(data []byte) (int, error) {
	for text := string(data); text != ""; {
		var n int
		switch {
		case strings.HasPrefix(text, "\x1b[J"):
			s.rows = s.rows[:min(s.row+1, len(s.rows))]
			if s.row < len(s.rows) {
				s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
			}
			text = text[len("\x1b[J"):]
			continue
		case strings.HasPrefix(text, "\x1b["):
			if _, err := fmt.Sscanf(text, "\x1b[%dA", &n); err != nil {
				return 0, fmt.Errorf("no such control sequence: %q", text)
			}
			s.row = max(s.row-n, 0)
			text = text[strings.Index(text, "A")+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		s.put(r)
	}
	return len(data), nil
}

func (s *screen) put(r rune) {
	switch r {
	case '\r':
		s.col = 0
		return
	case '\n':
		s.row, s.col = s.row+1, 0
		return
	}
	if s.col == s.width {
		s.row, s.col = s.row+1, 0
	}
	for len(s.rows) <= s.row {
		s.rows = append(s.rows, nil)
	}
	line := s.rows[s.row]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.rows[s.row] = line
	s.col++
}

// lines returns the rows, without empty ones at the end.
func (s *screen) lines() []string {
	var list []string
	for _, row := range s.rows {
		list = append(list, string(row))
	}
	for len(list) > 0 && list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// On a terminal of any width the status is a block of four rows below what was printed, and
// nothing of it stays. What was printed wraps, and stays as it is.
func TestNarrowTerminal(t *testing.T) {
	for _, width := range []int{80, 40, 20, 5, 1} {
		got, want := &screen{width: width}, &screen{width: width}
		p := NewPrinter(got, got, Options{})
		p.live, p.width = true, func() int { return width }
		s := Status{Package: "github.com/some/very/long/module/path/of/a/package", Sides: 1000, Snapshot: coordinator.Snapshot{
			Covered: coverage.NewSet(1), Counts: engine.Counts{Sequences: 123456789, Values: 123456789}, Entries: 1000, Deaths: 1000, Pending: 1000,
		}}
		shows := func(block bool) {
			t.Helper()
			fixed, all := want.lines(), got.lines()
			rows := 0
			if block {
				rows = 4
			}
			if len(all) != len(fixed)+rows || !slices.Equal(all[:len(fixed)], fixed) {
				t.Errorf("%d wide: the screen has\n%s\nwant %d rows below\n%s", width, strings.Join(all, "\n"), rows, strings.Join(fixed, "\n"))
			}
		}
		progress := func() {
			t.Helper()
			s.Elapsed += time.Second
			p.Progress(s.Elapsed, s.Line, s.Block)
			shows(true)
		}
		long := strings.Repeat("v0.Method(12345) ", 12)
		for range 2 {
			progress()
			progress()
			p.Printf("%s", long)
			fmt.Fprintln(want, long)
			shows(false)
			progress()
			p.Warn("the package "+long, "a hint "+long)
			fmt.Fprintf(want, "foray: warning: the package %s\n  hint: a hint %s\n", long, long)
			shows(false)
			progress()
			p.Interrupted()
			fmt.Fprint(want, "\nforay: interrupted; findings and corpus are kept (interrupt again to end at once)\n")
			shows(false)
			progress()
		}
		p.Quiet()
		shows(false)
	}
}
