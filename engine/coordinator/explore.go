package coordinator

import (
	"maps"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/wire"
)

// exploring is the state of an exhaustive search. Workers extend states in any order, also
// again after one has ended. What that shows is taken in in the order of the states, with
// the entries and findings. So it does not depend on the workers.
type exploring struct {
	exploration *engine.Exploration // nil unless the run explores
	lethal      [][]byte            // sequences that ended a process
	held        map[int][]heldMessage
	expected    Expected
}

// Expected is the forecast of an exhaustive search when it stopped.
type Expected struct {
	engine.Forecast         // zero if too little was run
	PerSecond       float64 // transitions that were run
}

// expect makes the forecast of an exhaustive search.
func (r *run) expect() {
	if x := r.exploration; x != nil {
		r.expected.Forecast, _ = x.Forecast()
		r.expected.PerSecond = float64(x.Transitions) / max(time.Since(r.began).Seconds(), 1e-3)
	}
}

// tooLong reports whether someone is to be asked before an exhaustive search goes on. It
// looks at the clock, so where such a search stops differs from run to run.
func (r *run) tooLong() bool {
	if r.config.Unasked == 0 || r.exploration == nil || r.exploration.Over() {
		return false
	}
	r.expect()
	left := r.expected.Bounded - float64(r.exploration.Transitions)
	return left > r.expected.PerSecond*r.config.Unasked.Seconds()
}

// A heldMessage is an entry or a finding of a state whose turn has not come.
type heldMessage struct {
	slot *slot
	msg  *wire.Message
}

// A portion is the work of a process that explores.
type portion struct {
	dealt    []int           // states that it has not reported yet
	knows    int             // hashes that it has been told of
	messages []*wire.Message // entries and findings of the next state that it reports
}

// deal gives states to the workers that have few, or ends them if all is run.
func (r *run) deal() {
	x := r.exploration
	if x == nil || r.stopping {
		return
	}
	for _, w := range r.slots {
		if w.proc == nil || w.leaves || len(w.dealt) >= maxShare {
			continue
		}
		if x.Over() {
			w.proc.Send(&wire.Message{Stop: true})
			continue
		}
		n := min(maxShare, (x.Ready()+len(r.slots)-1)/len(r.slots))
		if n == 0 {
			continue
		}
		var s engine.Share
		s, w.knows = x.Deal(n, w.knows)
		s.Lethal = r.lethal
		if len(w.dealt) == 0 {
			w.dog = w.proc.Watchdog()
		}
		for _, state := range s.States {
			w.dealt = append(w.dealt, state.Number)
		}
		w.proc.Send(&wire.Message{Share: &s})
	}
}

// waitsForShare reports whether a worker waits because it has no states to extend.
func (r *run) waitsForShare(w *slot) bool {
	return r.exploration != nil && len(w.dealt) == 0 && !w.leaves
}

// holds keeps an entry or a finding of a worker that explores until its turn comes.
func (r *run) holds(w *slot, m *wire.Message) bool {
	if r.exploration == nil || m.Finding == nil && (m.Entry == nil || m.Entry.Again || m.Entry.Value) {
		return false
	}
	w.messages = append(w.messages, m)
	return true
}

// takeExtended takes in what extending states has shown.
func (r *run) takeExtended(w *slot, list []engine.Extension) {
	for i := range list {
		e := &list[i]
		for _, m := range w.messages {
			r.held[e.Number] = append(r.held[e.Number], heldMessage{w, m})
		}
		w.messages = nil
		w.dealt = slices.DeleteFunc(w.dealt, func(n int) bool { return n == e.Number })
		numbers, err := r.exploration.Take(*e)
		if err != nil {
			r.config.Report.Warn("exploring: " + err.Error())
		}
		for _, n := range numbers {
			r.tellHeldOf(n)
		}
	}
	r.deal()
}

func (r *run) tellHeldOf(state int) {
	for _, h := range r.held[state] {
		if h.msg.Finding != nil {
			r.takeFinding(h.msg.Finding)
		} else {
			r.takeEntry(h.slot, h.msg.Entry)
		}
	}
	delete(r.held, state)
}

// tellHeld takes in, at the end of a search that was stopped, the entries and findings of
// states whose turn has not come.
func (r *run) tellHeld() {
	if r.exploration == nil || r.exploration.Full {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(r.held)) {
		r.tellHeldOf(n)
	}
}
