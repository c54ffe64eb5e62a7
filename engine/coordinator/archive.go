package coordinator

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// An archive holds the state that workers start from: entries, and the branch sides taken.
type archive struct {
	covered   *coverage.Set // by any sequence
	kept      *coverage.Set // by entries
	entries   []*stored
	bySteps   map[string]*stored
	values    [][]byte // entries that workers left for the values they make
	added     int      // entries of this run
	lastNew   uint64   // sequences when a side was last new
	lastNewAt time.Duration
}

// A stored is an entry that workers start from.
type stored struct {
	steps []byte
	// run tells how the entry ran first in a worker of each build; nil if it has not.
	run [2]*wire.Entry
}

// buildNumber returns the index of a build in stored.run: that of workers that aim at the frontier is 1.
func buildNumber(aims bool) int {
	if aims {
		return 1
	}
	return 0
}

// beginning returns the entries that the next process of a slot begins with: those that it
// is to run, and those whose run is known. starts is the number of processes before it.
func (a *archive) beginning(aims bool, starts int) (run [][]byte, known []wire.Entry) {
	var warm [][]byte
	for _, e := range a.entries {
		ran := e.run[buildNumber(aims)]
		if ran == nil {
			run = append(run, e.steps)
			continue
		}
		if !ran.Costly {
			warm = append(warm, e.steps)
		}
		if len(ran.Sides) > 0 {
			known = append(known, *ran)
		}
	}
	for i := range min(len(warm), warmEntries) {
		run = append(run, warm[(starts*warmEntries+i)%len(warm)])
	}
	return append(run, a.values...), known
}

// ran notes how an entry ran in a worker, if it was not known for its build.
func (a *archive) ran(aims bool, m *wire.Entry) {
	if e := a.bySteps[string(m.Steps)]; e != nil && e.run[buildNumber(aims)] == nil {
		e.run[buildNumber(aims)] = m
	}
}

// add adds an entry, and returns its record.
func (a *archive) add(steps []byte) *stored {
	e := &stored{steps: steps}
	a.entries = append(a.entries, e)
	a.bySteps[string(steps)] = e
	return e
}

func newArchive(sides int, entries []seq.Sequence) archive {
	a := archive{covered: coverage.NewSet(sides), kept: coverage.NewSet(sides), bySteps: map[string]*stored{}}
	for _, s := range entries {
		a.add(seq.AppendBinary(nil, s))
	}
	return a
}

// cover notes sides that sequences of a worker took, the last of them sequence number at of
// its process.
func (r *run) cover(w *slot, sides []int32, at uint64) {
	for _, side := range sides {
		if side >= 0 && int(side) < r.config.Sides && r.archive.covered.Add(int(side)) {
			others := r.counts().Sequences - w.last.Counts.Sequences
			r.archive.lastNew, r.archive.lastNewAt = others+at, time.Since(r.began)
		}
	}
}

func (r *run) takeEntry(w *slot, m *wire.Entry) {
	if m.Again {
		r.archive.ran(w.aims, m)
		return
	}
	s, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d: %v", w.index, err))
		return
	}
	if m.Value {
		if w.aims {
			r.archive.values = append(r.archive.values, m.Steps)
		}
		r.config.Report.Entry(engine.Entry{Steps: s})
		return
	}
	fresh := 0
	for _, side := range m.Sides {
		if side >= 0 && int(side) < r.config.Sides && r.archive.kept.Add(int(side)) {
			fresh++
		}
	}
	r.cover(w, m.Sides, m.At)
	if fresh == 0 {
		return
	}
	r.archive.add(m.Steps).run[buildNumber(w.aims)] = m
	r.archive.added++
	e := m.Entry
	e.Steps = s
	if e.Solved = m.Seed && r.solving.total.Proposed > 0; e.Solved {
		r.solving.total.Sides += fresh
	}
	r.config.Report.Entry(e)
	if r.exploration == nil { // which entries a worker has run changes no state
		r.tell(w, wire.Learn{Entries: [][]byte{m.Steps}})
	}
}

// dropCalls drops the entries that call any of ops.
func (a *archive) dropCalls(t *seq.Table, literals []*seq.Literal, ops []seq.OpID) {
	if len(ops) == 0 {
		return
	}
	a.entries = slices.DeleteFunc(a.entries, func(e *stored) bool {
		s, err := seq.DecodeBinary(t, literals, e.steps)
		return err == nil && slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(ops, st.Op) })
	})
}

// drop drops the entries that begin with s, and reports whether there were any. If a contract
// made the last call of s, it also drops the entry of the steps before it, begun.
func (a *archive) drop(s seq.Sequence, begun []byte) bool {
	var steps []byte // without the count that an entry begins with
	for i := range s {
		steps = seq.AppendStep(steps, s[i])
	}
	n := len(a.entries)
	a.entries = slices.DeleteFunc(a.entries, func(e *stored) bool {
		_, count := binary.Uvarint(e.steps)
		own := e.steps[count:]
		return bytes.HasPrefix(own, steps) || bytes.Equal(own, begun)
	})
	return len(a.entries) < n
}
