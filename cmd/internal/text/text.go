// Package text shortens and inflects text for people.
package text

import (
	"fmt"
	"io"
	"strings"
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
	case strings.HasSuffix(noun, "ss"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// OneLine joins the lines of a text and cuts it to n runes.
func OneLine(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return string(r)
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
