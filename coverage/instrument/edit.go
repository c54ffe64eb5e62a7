package instrument

import (
	"cmp"
	"go/token"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An edit puts text at an offset of the original source, in place of so many bytes.
type edit struct {
	offset int
	bytes  int
	text   string
}

// empty reports whether e changes nothing.
func (e edit) empty() bool { return e.bytes == 0 && e.text == "" }

// reserve adds an edit at pos with a text to be filled in, and returns its
// index.
func (w *writer) reserve(pos token.Pos) int {
	w.insert(pos, "")
	return len(w.edits) - 1
}

// insert adds an edit. Edits at one position keep the order in which they were
// added, so the walk opens brackets on its way down and closes them on its way
// up.
func (w *writer) insert(pos token.Pos, text string) {
	w.edits = append(w.edits, edit{w.tok.Offset(pos), 0, text})
}

// replace adds an edit that puts text in place of the token old at pos.
func (w *writer) replace(pos token.Pos, old, text string) {
	w.edits = append(w.edits, edit{w.tok.Offset(pos), len(old), text})
}

// call returns the start of a call of a probe function, up to the side.
func (w *writer) call(function string, side int) string {
	if !w.Analysis {
		return w.probe + "." + function + "(" + strconv.Itoa(side)
	}
	if other := analysisForm[function]; other != "" {
		function = other
	}
	return w.probe + "." + function + "(" + strconv.Itoa(w.indexOf(side)) + ", " + strconv.Itoa(side)
}

func applyEdits(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	out := make([]byte, 0, len(src)+40*len(edits))
	at := 0
	for _, e := range edits {
		out = append(out, src[at:e.offset]...)
		out = append(out, e.text...)
		at = e.offset + e.bytes
	}
	return append(out, src[at:]...)
}

// maxText bounds the texts of conditions and clauses, in bytes: they are for
// people to recognize, the ordinal distinguishes equal ones.
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
