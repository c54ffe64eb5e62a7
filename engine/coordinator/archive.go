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
	entries   [][]byte
	values    [][]byte // entries that workers left for the values they make
	added     int      // entries of this run
	lastNew   uint64   // sequences when a side was last new
	lastNewAt time.Duration
}

func newArchive(sides int, entries []seq.Sequence) archive {
	a := archive{covered: coverage.NewSet(sides), kept: coverage.NewSet(sides)}
	for _, s := range entries {
		a.entries = append(a.entries, seq.AppendBinary(nil, s))
	}
	return a
}

// cover notes sides that a sequence took.
func (r *run) cover(sides []int32) {
	for _, side := range sides {
		if side >= 0 && int(side) < r.config.Sides && r.archive.covered.Add(int(side)) {
			r.archive.lastNew, r.archive.lastNewAt = r.counts().Sequences, time.Since(r.began)
		}
	}
}

func (r *run) takeEntry(w *slot, m *wire.Entry) {
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
	r.cover(m.Sides)
	if fresh == 0 {
		return
	}
	r.archive.entries = append(r.archive.entries, m.Steps)
	r.archive.added++
	r.config.Report.Entry(engine.Entry{Steps: s, Sides: m.Sides, Seed: m.Seed})
	r.tell(w, wire.Learn{Entries: [][]byte{m.Steps}})
}

// dropCalls drops the entries that call any of ops.
func (a *archive) dropCalls(t *seq.Table, literals []*seq.Literal, ops []seq.OpID) {
	if len(ops) == 0 {
		return
	}
	a.entries = slices.DeleteFunc(a.entries, func(e []byte) bool {
		s, err := seq.DecodeBinary(t, literals, e)
		return err == nil && slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(ops, st.Op) })
	})
}

// drop drops the entries that begin with s, and reports whether there were any.
func (a *archive) drop(s seq.Sequence) bool {
	var steps []byte // without the count that an entry begins with
	for i := range s {
		steps = seq.AppendStep(steps, s[i])
	}
	n := len(a.entries)
	a.entries = slices.DeleteFunc(a.entries, func(e []byte) bool {
		_, count := binary.Uvarint(e)
		return bytes.HasPrefix(e[count:], steps)
	})
	return len(a.entries) < n
}
