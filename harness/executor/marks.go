package executor

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/observe"
)

// A marker records the observable results of each step, for a comparison with another
// version: as a mark and, if asked, in full.
type marker struct {
	x    *Executor
	obs  *observe.Observer
	buf  []byte
	on   bool // record: most runs of an engine only prune entries
	full bool
	run  difference.Run // if full
	// texts holds, if full, the last text of each slot.
	texts []string
	marks []uint32             // see [Executor.Marks]
	ended func(s seq.Sequence) // called at the end of a sequence, if set
}

func newMarker(x *Executor) *marker {
	return &marker{x: x, obs: observe.New(x.table.Package)}
}

func (w *marker) begin() {
	w.marks = w.marks[:0]
	w.run, w.texts = difference.Run{}, w.texts[:0]
}

// StatusBits are the low bits of a step's mark, which hold its status.
const StatusBits = 2

func StatusOf(mark uint32) engine.Status { return engine.Status(mark & (1<<StatusBits - 1)) }

// step records a step. in and out are its arguments and results.
func (w *marker) step(op *opInfo, status engine.Status, in, out []any) {
	if !w.on {
		return
	}
	b := w.buf[:0]
	if status == engine.Broken {
		b = append(b, panicText(w.x.panicked.value)...)
	} else {
		for _, v := range out {
			b = append(w.obs.Append(b, v), '|')
		}
		for i, v := range in {
			if w.seesChange(op, i, v) {
				b = append(w.obs.Append(b, v), '&')
			}
		}
	}
	w.buf = b
	w.marks = append(w.marks, hashText(b)<<StatusBits|uint32(status))
	if w.full {
		w.fullStep(status, out)
	}
}

// seesChange reports whether argument i, v, may show that the call changed it.
func (w *marker) seesChange(op *opInfo, i int, v any) bool {
	return op.params[min(i, len(op.params)-1)].mutable && v != nil && w.obs.Changes(reflect.TypeOf(v))
}

// fullStep records the results of a step in full, and which earlier results changed.
func (w *marker) fullStep(status engine.Status, out []any) {
	st := difference.Step{Status: status}
	if status == engine.Broken {
		st.Panic = panicText(w.x.panicked.value)
		st.Place = blame.Place(w.x.table, w.x.panicked.value, w.x.panicked.frames())
	} else {
		for _, v := range out {
			st.Results = append(st.Results, w.obs.Of(v))
		}
	}
	for slot, before := range w.texts {
		if v := w.x.vals[slot]; v != nil && w.obs.Changes(reflect.TypeOf(v)) {
			if now := w.obs.Of(v); now.String() != before {
				st.Changed = append(st.Changed, difference.Change{Slot: int32(slot), Value: now})
				w.texts[slot] = now.String()
			}
		}
	}
	for _, v := range st.Results {
		w.texts = append(w.texts, v.String())
	}
	w.run.Steps = append(w.run.Steps, st)
}

// end records the slots after the last step.
func (w *marker) end(s seq.Sequence) {
	if !w.on {
		return
	}
	if !w.x.panicked.set {
		for _, v := range w.x.vals {
			mark := uint32(0)
			if v != nil && w.obs.Changes(reflect.TypeOf(v)) {
				w.buf = w.obs.Append(w.buf[:0], v)
				mark = hashText(w.buf)
			}
			w.marks = append(w.marks, mark)
		}
	}
	if w.x.owner.keep(); w.ended != nil {
		w.ended(s)
	}
}

// Observe runs s and returns its observable results.
func (x *Executor) Observe(s seq.Sequence) *difference.Run {
	before := x.marker
	x.marker = newMarker(x)
	x.marker.on, x.marker.full = true, true
	engine.Execute(x, x.table, s, engine.RunOptions{})
	run := x.marker.run
	x.marker = before
	return &run
}

// CompareRuns makes x mark the steps of sequences, while [Executor.Look] is on. If ended
// is not nil it is called at the end of each.
func (x *Executor) CompareRuns(ended func(s seq.Sequence)) {
	x.marker = newMarker(x)
	x.marker.ended = ended
}

// Look switches marking on or off.
func (x *Executor) Look(on bool) { x.marker.on = on }

// Marks returns the marks of the last sequence: one for each step that ran and, if none
// broke, one for each slot at the end. Equal marks mean that the same was seen, but for
// one in 2³⁰.
func (x *Executor) Marks() []uint32 {
	if x.marker == nil {
		return nil
	}
	return x.marker.marks
}

// panicText returns the text of a panic value. Of a run-time error it returns the kind
// only, since the numbers in it depend on layout.
func panicText(v any) string {
	switch v := v.(type) {
	case nil:
		return "the call ended its goroutine"
	case runtime.Error:
		text := strings.TrimPrefix(v.Error(), "runtime error: ")
		text, _, _ = strings.Cut(text, " [")
		return observe.Masked(strings.TrimSpace(text))
	case error:
		return observe.Masked(errorText(v))
	case string:
		return observe.Masked(v)
	}
	return fmt.Sprintf("a value of type %T", v)
}

func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error whose text panics"
		}
	}()
	return err.Error()
}

// hashText returns 32 bits that tell texts apart: FNV-1a, stirred.
func hashText(b []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	return uint32(h * 0x9e3779b97f4a7c15 >> 32)
}
