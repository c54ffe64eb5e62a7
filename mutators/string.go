package mutators

import (
	"strconv"

	"foray.test/engine/draw"
)

// stringEdits are the edits of [EditString]. Each gets the string, a position
// drawn in it, and a function that draws another string of the dictionary.
var stringEdits = []func(src *draw.Source, s string, at int, dict func() string) string{
	insertWord, appendWord, replaceRest, removeRange, repeatRange, truncate, changeByte, changeNumber, wrap,
}

// EditString returns s after one edit at a drawn position. dict draws words to
// put in. It is plain random editing: nothing aims it.
func EditString(src *draw.Source, s string, dict func() string) string {
	edit := stringEdits[src.Choose("string edit", len(stringEdits))]
	return edit(src, s, src.Choose("position", len(s)+1), dict)
}

func insertWord(_ *draw.Source, s string, at int, dict func() string) string {
	return s[:at] + dict() + s[at:]
}

func appendWord(_ *draw.Source, s string, _ int, dict func() string) string { return s + dict() }

func replaceRest(_ *draw.Source, s string, at int, dict func() string) string { return s[:at] + dict() }

func removeRange(src *draw.Source, s string, at int, _ func() string) string {
	n := src.Choose("length", len(s)-at+1)
	return s[:at] + s[at+n:]
}

// repeatRange doubles a range a few times: nesting, long runs.
func repeatRange(src *draw.Source, s string, at int, _ func() string) string {
	n := src.Choose("length", len(s)-at+1)
	part := s[at : at+n]
	out := s[:at]
	for range 2 + src.Choose("times", repeatTimes) {
		out += part
	}
	return out + s[at+n:]
}

func truncate(_ *draw.Source, s string, at int, _ func() string) string { return s[:at] }

func changeByte(src *draw.Source, s string, at int, _ func() string) string {
	if at == len(s) {
		return s
	}
	return s[:at] + string(rune(' '+src.Choose("byte", 95))) + s[at+1:]
}

// changeNumber replaces the first number at or behind the position.
func changeNumber(src *draw.Source, s string, at int, _ func() string) string {
	from := at
	for from < len(s) && (s[from] < '0' || s[from] > '9') {
		from++
	}
	to := from
	for to < len(s) && s[to] >= '0' && s[to] <= '9' {
		to++
	}
	if from == to {
		return s
	}
	numbers := []string{"0", "1", "-1", "2", "9", "10", "00", "255", "256", "65536", "4294967296", "9223372036854775808", strconv.Itoa(src.Choose("number", 100))}
	return s[:from] + numbers[src.Choose("number kind", len(numbers))] + s[to:]
}

// wrap puts the string between two halves of a pair.
func wrap(src *draw.Source, s string, _ int, _ func() string) string {
	pairs := []string{`""`, "''", "()", "[]", "{}", "<>", "``", "  "}
	p := pairs[src.Choose("pair", len(pairs))]
	return p[:1] + s + p[1:]
}
