package instrument

import (
	"cmp"
	"go/token"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An edit inserts text at an offset of the original source.
type edit struct {
	offset int
	text   string
}

// insert adds an edit. Several at one position come in the order in which they
// are added; so the walk opens brackets on its way down and closes them on its
// way up.
func (w *writer) insert(pos token.Pos, text string) {
	w.edits = append(w.edits, edit{w.tok.Offset(pos), text})
}

// call returns the start of a call of a probe function, up to the side.
func (w *writer) call(function string, side int) string {
	return w.probe + "." + function + "(" + strconv.Itoa(side)
}

func applyEdits(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	out := make([]byte, 0, len(src)+40*len(edits))
	at := 0
	for _, e := range edits {
		out = append(out, src[at:e.offset]...)
		out = append(out, e.text...)
		at = e.offset
	}
	return append(out, src[at:]...)
}

// maxText bounds the texts of conditions and clauses, in bytes: they are for
// people to recognize, the ordinal tells equal ones apart.
const maxText = 100

func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
