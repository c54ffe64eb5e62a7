package blame

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"foray.test/engine/seq"
)

// Unchecked returns why the value in slot n may be one that its package refuses, or "". A
// function without an error result made it, or a part of it, of text or of a list. Another function
// makes such values of text and may refuse.
func (h *History) Unchecked(n int32) string {
	if !h.checkedElsewhere(n) {
		return ""
	}
	of := h.Ancestors(n)
	of[n] = true
	for m := range h.types { // in order
		op := h.op(h.from[m])
		if of[int32(m)] && op.API && !op.ReturnsError && slices.ContainsFunc(op.Params, func(id seq.TypeID) bool {
			return h.t.Types[id].Literal == seq.String || h.t.Types[id].Literally(seq.SliceType)
		}) {
			return op.Short + " checks nothing of the text or the elements that it is given"
		}
	}
	return ""
}

// checkedElsewhere reports whether a function makes values of the type of slot n from text and
// returns an error.
func (h *History) checkedElsewhere(n int32) bool {
	want := &h.t.Types[h.types[n]]
	return slices.ContainsFunc(h.t.Ops, func(op seq.Operation) bool {
		if op.Kind != seq.Func || !op.API || !op.ReturnsError || len(op.Results) < 2 {
			return false
		}
		made := &h.t.Types[op.Results[0]]
		return made.Base != "" && made.Base == want.Base && made.Path == want.Path && slices.ContainsFunc(op.Params, func(id seq.TypeID) bool {
			return h.t.Types[id].IsText()
		})
	})
}

var errorType = reflect.TypeFor[error]()

// KeepsError returns the exported field of a struct, or of the one that t points to, in which
// its values keep the error of the call that made them. It returns -1 if there is none.
func KeepsError(t reflect.Type) int {
	if t == nil {
		return -1
	}
	if i, known := errorFields.Load(t); known {
		return i.(int)
	}
	i := errorField(t)
	errorFields.Store(t, i)
	return i
}

// errorFields are the answers of KeepsError so far, by type: histories ask for every result.
var errorFields sync.Map

func errorField(t reflect.Type) int {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && f.Type == errorType {
				return i
			}
		}
	}
	return -1
}

// keptError reports whether v says by a field that the call that made it failed.
func keptError(v any) bool {
	i := KeepsError(reflect.TypeOf(v))
	if i < 0 || IsNil(v) {
		return false
	}
	return !reflect.Indirect(reflect.ValueOf(v)).Field(i).IsNil()
}

// notAfter matches documentation that forbids the use of an argument after the call, or says
// that the call returns the argument to a pool.
var notAfter = regexp.MustCompile(`(?i)\b(must|should|can|do) ?not\b[^.]*\bused?\b[^.]*\bafter\b|\b(returns?|puts?|releases?) [\w.*]+( [\w.*]+){0,3} (in)?to (the|a) (\w+ ){0,3}pool\b`)

// Ends reports whether the arguments of op must not be used after it. If it takes none, the
// receiver must not. Its documentation says so, or that of package io, Closer: "The behavior of
// Close after the first call is undefined", and so is all that needs the object open.
func Ends(op *seq.Operation) bool {
	return op.API && (closes(op) || op.Doc != "" && endings.said(op.Doc))
}

// closes reports whether op is a method Close as that of an io.Closer.
func closes(op *seq.Operation) bool {
	return op.Kind == seq.Method && len(op.Params) == 1 && op.Base == "Close"
}

// endings are the answers of notAfter so far: histories ask at every step of a sequence.
var endings = memo{pattern: notAfter, words: []string{"after", "pool"}, answers: map[string]bool{}}

// A memo remembers which texts a pattern matches.
type memo struct {
	pattern *regexp.Regexp
	words   []string // all texts that it matches have one of them, in any case: to look for it takes less
	mu      sync.RWMutex
	answers map[string]bool
}

func (m *memo) said(text string) bool {
	m.mu.RLock()
	answer, known := m.answers[text]
	m.mu.RUnlock()
	if known {
		return answer
	}
	lower := strings.ToLower(text)
	answer = slices.ContainsFunc(m.words, func(w string) bool { return strings.Contains(lower, w) }) && m.pattern.MatchString(text)
	m.mu.Lock()
	m.answers[text] = answer
	m.mu.Unlock()
	return answer
}

// usedAfterEnd reports whether some call takes an object that an earlier step ended. A method
// Reset begins its use anew.
func (h *History) usedAfterEnd() bool {
	for _, end := range h.ends {
		ended := h.endedBy(end)
		for i := end + 1; i < len(h.s); i++ {
			if kind := h.op(i).Kind; kind != seq.Func && kind != seq.Method || !slices.ContainsFunc(ended, h.s[i].Takes) {
				continue
			}
			if h.op(i).Base == "Reset" {
				break
			}
			return true
		}
	}
	return false
}

// endedBy returns the objects whose use step end has ended.
func (h *History) endedBy(end int) []int32 {
	args := h.s[end].Args
	if hasReceiver(h.op(end)) && len(args) > 1 {
		args = args[1:]
	}
	var ended []int32
	for _, a := range args {
		if a.Lit == nil && !basic(h.t, h.types[a.Slot]) {
			ended = append(ended, a.Slot)
		}
	}
	return ended
}

// ofEnded reports whether the finding is about an object that an earlier step has ended. One that
// was got from such an object, was made of it or may hold it is ended, too.
func (h *History) ofEnded() bool {
	found := false
	for _, end := range h.ends {
		if end < h.last {
			gone := h.goneWith(end)
			h.focus(func(n int32) { found = found || gone[n] })
		}
	}
	return found
}

// goneWith returns the objects that step end has ended, with those that they wrap. It adds all that
// other steps before the last one got from them, made of them or let hold them. A method Reset
// begins the use of its receiver anew.
func (h *History) goneWith(end int) map[int32]bool {
	gone := map[int32]bool{}
	for _, n := range h.endedBy(end) {
		gone[n] = true
		h.wrapped(n, gone)
	}
	for i := range h.s[:min(h.last, len(h.s))] {
		recv, hasRecv := h.Receiver(i)
		switch {
		case i == end:
		case i > end && hasRecv && h.op(i).Base == "Reset":
			delete(gone, recv)
		case h.takes(i, gone):
			if hasRecv && h.op(i).SetsReceiver {
				gone[recv] = true
			}
			for j, id := range h.op(i).Results {
				// What is of its receiver's type is mostly a copy, or computed.
				if n := h.first[i] + j; !basic(h.t, id) && !h.t.Types[id].Is("", "error") && (!h.chains(i) || h.same(n, int(recv))) {
					gone[int32(n)] = true
				}
			}
		}
	}
	return gone
}

// wrapped adds to gone the objects that the function which made slot n was given and that can be
// closed themselves: to close the one mostly closes the others.
func (h *History) wrapped(n int32, gone map[int32]bool) {
	if made := h.from[n]; h.op(made).API && h.op(made).Kind == seq.Func {
		h.anyGiven(made, func(_ int, slot int32) bool {
			gone[slot] = gone[slot] || slices.ContainsFunc(h.t.Ops, func(op seq.Operation) bool { return closes(&op) && op.Params[0] == h.types[slot] })
			return false
		})
	}
}
