package exhaustive

import (
	"fmt"
	"strconv"
	"strings"
)

// A Tag says which values a field may have: the tag `exhaustive:"..."` of the field. It
// lists, separated by commas:
//
//   - nothing is chosen: the field keeps its zero value
//     any         what fields of the type have by default, also if the predicate reads it never
//     1..n        numbers, both included; n is the bound
//     n           one number
//     nonnil      a pointer that is never nil
//     len=0..2    the lengths of a slice
//
// A number is an integer, n, n+1 or n-1.
type Tag struct {
	Skip, NonNil bool
	Like         bool // with Skip
	Set          bool // the field has a tag, none that has it skipped
	Lo, Hi       *Bound
	Least, Most  *Bound // length
}

// A Bound is a number in a Tag.
type Bound struct {
	N    bool // n is added
	Plus int
}

// Value returns the number for a bound n.
func (b Bound) Value(n int) int {
	if b.N {
		return n + b.Plus
	}
	return b.Plus
}

// ParseTag reads the text of a tag. The empty text is the zero Tag.
func ParseTag(text string) (t Tag, err error) {
	if text == "" {
		return Tag{}, nil
	}
	if text == "-" || text == "like" {
		return Tag{Skip: true, Like: text == "like"}, nil
	}
	t.Set = true
	for _, part := range strings.Split(text, ",") {
		lengths, isLen := strings.CutPrefix(part, "len=")
		switch {
		case part == "any":
		case part == "nonnil":
			t.NonNil = true
		case isLen:
			t.Least, t.Most, err = parseRange(lengths)
		default:
			t.Lo, t.Hi, err = parseRange(part)
		}
		if err != nil {
			return Tag{}, fmt.Errorf("the tag exhaustive:%q: %w", text, err)
		}
	}
	return t, nil
}

func parseRange(text string) (lo, hi *Bound, err error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		to = from
	}
	if lo, hi = parseBound(from), parseBound(to); lo == nil || hi == nil {
		return nil, nil, fmt.Errorf("%q is none of -, like, any, nonnil, len=0..2, and numbers as in 1..n", text)
	}
	return lo, hi, nil
}

// parseBound returns nil for what is no number.
func parseBound(text string) *Bound {
	var b Bound
	if text, b.N = strings.CutPrefix(text, "n"); b.N && text == "" {
		return &b
	}
	if b.N && text[0] != '+' && text[0] != '-' {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	b.Plus = n
	return &b
}
