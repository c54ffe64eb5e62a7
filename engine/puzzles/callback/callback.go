// Package callback breaks when a callback says yes.
package callback

// Words is a list of words.
type Words struct{ list []string }

// Of returns the words it is given.
func Of(words ...string) *Words { return &Words{list: words} }

// Drop drops the words that match. It forgets that all may.
func (w *Words) Drop(match func(string) bool) string {
	var rest []string
	for _, s := range w.list {
		if !match(s) {
			rest = append(rest, s)
		}
	}
	if len(w.list) == 0 {
		return ""
	}
	w.list = rest
	return rest[0]
}
