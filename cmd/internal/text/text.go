// Package text shortens and inflects text for people.
package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Plural returns a count with its noun: "1 entry", "2 entries".
func Plural[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y && !strings.HasSuffix(stem, "a"):
		noun = stem + "ies"
	case strings.HasSuffix(noun, "ss"), strings.HasSuffix(noun, "sh"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// OneLine joins the lines of a text and cuts it to n runes.
func OneLine(text string, n int) string {
	return Cut(strings.Join(strings.Fields(text), " "), n)
}

// Cut cuts a line to n runes at most: at the end of a word, if one ends in the second half.
func Cut(line string, n int) string {
	r := []rune(line)
	if len(r) <= n {
		return line
	}
	n = max(n-1, 0)
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }
	end := n
	for end > n/2 && inWord(r[end-1]) && inWord(r[end]) {
		end--
	}
	if end == n/2 {
		end = n
	}
	return strings.TrimRight(string(r[:end]), " ") + "…"
}

// Indent puts a prefix before each line.
func Indent(text, prefix string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return prefix + strings.Join(lines, "\n"+prefix)
}

// Some joins names: all of them, or the first four of many.
func Some(names []string, all bool) string {
	const most = 4
	more := ""
	if len(names) > most+1 && !all {
		more = fmt.Sprintf(", %d more", len(names)-most)
		names = names[:most]
	}
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = OneLine(name, 60)
	}
	return strings.Join(short, ", ") + more
}

// Rows prints two columns. The first is as wide as its cells need, but for those of
// more than 32 runes.
func Rows(w io.Writer, rows [][2]string) {
	const most = 32
	width := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r[0]); n <= most {
			width = max(width, n)
		}
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %-*s  %s\n", width, r[0], r[1])
	}
}

// Percent returns n in percent of a total.
func Percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// Long tells a time that may be too long for a [time.Duration].
func Long(seconds float64) string {
	const day = 24 * 3600
	switch {
	case seconds >= 365*day:
		return fmt.Sprintf("%.2g years", seconds/(365*day))
	case seconds >= 2*day:
		return fmt.Sprintf("%.0f days", seconds/day)
	case seconds >= 600:
		return strings.TrimSuffix(time.Duration(seconds*1e9).Round(time.Minute).String(), "0s")
	}
	return time.Duration(seconds * 1e9).Round(time.Second).String()
}

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=:,@+%", r) || r > 127
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Fence returns at least the backticks of least, and more than a text has in a row.
func Fence(text, least string) string {
	for strings.Contains(text, least) {
		least += "`"
	}
	return least
}

// Code returns a text of one line as Markdown shows it verbatim.
func Code(text string) string {
	fence := Fence(text, "`")
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Nearest returns the name that a misspelt word most probably stands for, and "" if none is
// near. A near name takes one edit in three letters; a swap of neighbours counts as one.
func Nearest(word string, names []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, name := range names {
		if name == "" || len(name) == 1 {
			continue
		}
		if d := edits(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// edits returns how many bytes must be put in, taken out, replaced or swapped with the next
// to turn a into b.
func edits(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Printable escapes the control characters of a message, but for tabs and ends of lines: they
// may come from the name of a file, and do harm to a terminal.
func Printable(text string) string {
	bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError }
	if !strings.ContainsFunc(text, bad) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if bad(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
