package contract

import (
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// cursor is where the moves so far have left an iterator.
type cursor uint8

const (
	fresh   cursor = iota // not moved, or put before the first or after the last element
	onto                  // the last move said true
	off                   // the last move said false
	unknown               // the last move's answer is not known
)

const docChanged = "what it iterates over may have changed since it was made"

// iteratorMisuse reports whether the receiver is an iterator used outside its
// protocol. It may be asked for an element without a successful move, moved after a
// failed one, or used after its container has changed.
func (s *scene) iteratorMisuse() (string, bool) {
	if s.op.Kind == seq.Call && s.calledBefore() {
		return "a function that was returned is called again: it may have come to its end", true
	}
	if why, unasked := s.unasked(); unasked {
		return why, true
	}
	if len(s.op.Params) == 0 || !hasReceiver(s.op) {
		return "", false
	}
	const doc = "an iterator was used outside its protocol: "
	if !isIterator(s.Table, s.op.Params[0]) {
		it, ok := s.receiverSlot()
		_, asks := s.asksFirst()
		return doc + docChanged, ok && asks && s.hist.changedSince(it)
	}
	if !s.slots {
		return doc + "its earlier use is not known", true
	}
	it, ok := s.hist.receiver(len(s.Steps) - 1)
	if !ok {
		return doc + "it is a literal", true
	}
	if s.hist.shared(it) {
		return doc + "it is a copy of another that was used, and may share its state", true
	}
	if s.hist.changedSince(it) {
		return doc + docChanged, true
	}
	at := s.hist.cursor(it)
	switch {
	case at == unknown:
		return doc + "what its last move returned is not known", true
	case any1(placeWords, s.name):
		return "", false
	case at == onto || at == fresh && any1(moveWords, s.name):
		return "", false
	case at == off:
		return doc + "its last move returned false", true
	}
	return doc + "it stands on no element", true
}

// unasked reports whether the receiver has a method that reports whether there is
// more, as HasNext does, and the last call did not ask it or got a no.
func (s *scene) unasked() (string, bool) {
	if !hasReceiver(s.op) || len(s.op.Params) == 0 || !any1(stepWords, s.name) {
		return "", false
	}
	ask, ok := s.asksFirst()
	if !ok {
		return "", false
	}
	if it, ok := s.receiverSlot(); ok {
		for step := len(s.Steps) - 2; step >= 0; step-- {
			if slot, ok := s.hist.receiver(step); !ok || slot != it {
				continue
			}
			more := s.hist.first[step]
			told, known := true, s.asks(s.hist.op(step)) && more < len(s.Values)
			if known {
				told, known = s.Values[more].(bool)
			}
			if known && told != any1(endWords, opName(s.hist.op(step))) {
				return "", false
			}
			break
		}
	}
	return "an iterator was used outside its protocol: " + ask.Short + " tells whether there is more, and did not say so before", true
}

// asksFirst returns the method of the receiver that reports whether there is more,
// if the call moves on.
func (s *scene) asksFirst() (*seq.Operation, bool) {
	if !any1(stepWords, s.name) {
		return nil, false
	}
	i := slices.IndexFunc(s.Table.Ops, func(op seq.Operation) bool { return s.asks(&op) })
	if i < 0 {
		return nil, false
	}
	return &s.Table.Ops[i], true
}

// asks reports whether op is a method of the receiver's type that reports whether
// there is more.
func (s *scene) asks(op *seq.Operation) bool {
	return hasReceiver(op) && len(op.Params) == 1 && op.Params[0] == s.op.Params[0] && len(op.Results) == 1 &&
		s.Table.Types[op.Results[0]].Literal == seq.Bool && any1(askWords, opName(op))
}

// function returns the slot of the function behind slot n. If a func literal of
// foray wraps a function and returned it, that is the slot of the wrapped one.
func (h *history) function(n int32) int32 {
	f, ok := h.receiver(h.from[n])
	if !ok || h.op(h.from[n]).Kind != seq.Call || h.op(h.from[f]).Kind != seq.FuncLit {
		return n
	}
	for _, a := range h.s[h.from[f]].Args {
		if a.Lit == nil && int(a.Slot) < len(h.types) && h.types[a.Slot] == h.types[n] {
			return a.Slot
		}
	}
	return n
}

// receiverSlot returns the slot that the last step was called on.
func (s *scene) receiverSlot() (int32, bool) {
	if !s.slots {
		return 0, false
	}
	return s.hist.receiver(len(s.Steps) - 1)
}

// calledBefore reports whether of the steps that have to do with the last one some two
// call one function that was returned.
func (s *scene) calledBefore() bool {
	calls, again := map[int32]bool{}, false
	if s.slots {
		s.hist.related(func(step int) {
			if f, ok := s.hist.receiver(step); ok && s.hist.op(step).Kind == seq.Call {
				f = s.hist.function(f)
				again = again || calls[f]
				calls[f] = true
			}
		})
	}
	return again
}

// shared reports whether slot it was copied from a value that other steps take, too.
func (h *history) shared(it int32) bool {
	made := h.from[it]
	if h.op(made).API || len(h.s[made].Args) != 1 || h.s[made].Args[0].Lit != nil {
		return false
	}
	of := h.s[made].Args[0].Slot
	for i := range h.s {
		for _, a := range h.s[i].Args {
			if i != made && a.Lit == nil && a.Slot == of {
				return true
			}
		}
	}
	return false
}

// cursor returns the position of the iterator in slot it before the last step.
func (h *history) cursor(it int32) cursor {
	at := fresh
	for i := h.from[it] + 1; i < len(h.s)-1; i++ {
		if r, ok := h.receiver(i); !ok || r != it {
			continue
		}
		op := h.op(i)
		n := len(op.Results)
		answers := n > 0 && h.t.Types[op.Results[n-1]].Literal == seq.Bool
		switch name := opName(op); {
		case answers && any1(moveWords, name):
			at = unknown
			if v, known := h.value(h.first[i] + n - 1); known {
				if b, _ := Describe(v).Value.(bool); b {
					at = onto
				} else {
					at = off
				}
			}
		case any1(placeWords, name):
			at = fresh
		}
	}
	return at
}

// changedSince reports whether a step after the one that made slot n may have
// changed an object that n was made from.
func (h *history) changedSince(n int32) bool {
	parents := h.ancestors(n)
	for i := h.from[n] + 1; i < len(h.s)-1; i++ {
		op := h.op(i)
		r, ok := h.receiver(i)
		if !ok || !op.API || !parents[r] || r == n || observes(opName(op)) {
			continue
		}
		moves := any1(moveWords, opName(op)) || any1(placeWords, opName(op)) && isIterator(h.t, h.types[r])
		if !moves {
			return true
		}
	}
	return false
}

// isIterator reports whether the name of a type is that of an iterator.
func isIterator(t *seq.Table, id seq.TypeID) bool { return any1(iterWords, t.Types[id].Base) }

// observes reports whether the first word of an operation's name is that of an
// observer.
func observes(name string) bool {
	w := words(name)
	return len(w) > 0 && observeWords[w[0]] || strings.HasPrefix(name, "Is")
}
