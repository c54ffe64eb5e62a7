package contract

import (
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// TestQuote: a finding quotes the first sentences of a long documentation, and the one that decides.
func TestQuote(t *testing.T) {
	first := "Keys lists the keys. "
	many := strings.Repeat("It takes care of this and of that, too. ", 40)
	head := first + many[:(maxQuote-len(first))/40*40-1]
	for _, tt := range []struct{ name, doc, want string }{
		{"short", first + "It returns a copy.", first + "It returns a copy"},
		{"the end decides", first + many + "It returns a copy. It sorts.", head + " … It returns a copy"},
		{"the beginning decides", "It returns a copy. " + many + "It returns a copy, too.", "It returns a copy. " + many[:(maxQuote-19)/40*40-1] + " …"},
		{"one sentence", strings.Repeat("very ", 200) + "long.", strings.Repeat("very ", maxQuote/5-1) + "very …"},
	} {
		o := operation{Operation: &seq.Operation{Short: "Keys", Declaration: seq.Declaration{Doc: tt.doc}}}
		if got := o.quote(copyPhrases...); got != `Keys: "`+tt.want+`"` {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
