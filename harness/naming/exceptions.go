package naming

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// exceptionWords are words for exceptions, in sentences that do not tell of results. Without them
// a table whose Get expands values ("If the value contains …") is told as broken.
var exceptionWords = Set("if unless when only except but ignored ignores otherwise most")

// negations are words that deny. The t is that of "doesn't".
var negations = Set("not cannot never no neither none without t")

// Excepts reports whether a sentence of a documentation tells an exception, of whatever kind.
func Excepts(doc string) bool {
	for sentence := range sentences(doc) {
		words := wordsOf(sentence)
		if slices.ContainsFunc(words, func(w string) bool { return exceptionWords[w] }) &&
			!slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "return") || strings.HasPrefix(w, "report") }) {
			return true
		}
	}
	return false
}

// States reports whether a sentence of a documentation that is about something promises it: the
// sentence neither denies nor excepts.
func States(doc string, about func(sentence string) bool) bool {
	for sentence := range sentences(doc) {
		if about(sentence) && !slices.ContainsFunc(wordsOf(sentence), func(w string) bool { return exceptionWords[w] || negations[w] }) {
			return true
		}
	}
	return false
}

// Denies reports whether a sentence of a documentation that is about something denies it, of
// whatever values.
func Denies(doc string, about func(sentence string) bool) bool {
	for sentence := range sentences(doc) {
		if about(sentence) && slices.ContainsFunc(wordsOf(sentence), func(w string) bool { return negations[w] }) {
			return true
		}
	}
	return false
}

// sentences yields the sentences of a text. A quotation in a list of such ends one, too.
func sentences(text string) iter.Seq[string] {
	return strings.SplitSeq(strings.ReplaceAll(text, `"; `, ". "), ". ")
}

// wordsOf returns the words of a sentence in lower case.
func wordsOf(sentence string) []string {
	return strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) })
}
