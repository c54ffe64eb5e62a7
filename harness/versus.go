package harness

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// side is a worker that is one side of a comparison of two versions. Both sides
// have the same table. Each composes, aims at its own new branches, and runs what
// the other has composed; what a step showed crosses as a mark of 32 bits, so that
// only mismatches cost more than the run.
type side struct {
	w        *worker
	batch    wire.Batch
	armed    bool // the next sequence that ends is one to put in the batch
	steps    []byte
	unstable []bool // by operation
	differ   []bool // by operation
	muted    map[uint64]bool
	told     map[uint64]int // mismatches of this batch by key
	compared uint64
	fresh    []seq.OpID // operations that have turned out unstable
	shaky    []uint8    // by operation: how often it did not repeat itself
}

// Bounds on a batch: what is told at once, and how long it may take to compose.
const (
	maxMismatches = 16
	maxOfKey      = 2
	batchTime     = 100 * time.Millisecond
	// differOneIn is how seldom a sequence is looked at behind a call whose
	// difference is known.
	differOneIn = 8
	// maxShaky is how often an operation may fail to repeat itself before no result
	// of it is looked at.
	maxShaky = 2
)

// observe runs s and returns what could be seen of it.
func (w *worker) observe(s seq.Sequence) *difference.Run {
	if w.exec.watch == nil {
		w.exec.watch = newWatcher(w.exec)
	}
	watch := w.exec.watch
	watch.full = true
	engine.Execute(w.exec, w.table, s)
	watch.full = false
	run := watch.run
	return &run
}

func (w *worker) versus(m *wire.Versus) error {
	n := len(w.table.Ops)
	s := &side{w: w, unstable: make([]bool, n), differ: make([]bool, n), shaky: make([]uint8, n), muted: map[uint64]bool{}, told: map[uint64]int{}}
	w.exec.watch = newWatcher(w.exec)
	w.exec.watch.ended = s.ended
	w.named = coverage.NewSet(sides())
	w.engine = engine.New(engine.Config{
		Table: w.table, Pool: w.pool, Executor: w.exec, Source: draw.Random(m.Seed),
		Sides: sides(), Params: m.Params, Sink: s,
	})
	s.learn(&m.Learn)
	for m := range w.commands {
		switch {
		case m.Learn != nil:
			s.learn(m.Learn)
		case m.Compose != nil:
			s.compose(m.Compose.Sequences)
		case m.Compare != nil:
			if err := s.compare(&m.Compare.Batch); err != nil {
				return err
			}
		case m.Stop:
			return w.err
		}
		if w.err != nil {
			return w.err
		}
	}
	return w.err
}

func (s *side) learn(l *wire.Learn) {
	s.w.learn(l)
	if l.Flatten {
		s.w.engine.Flatten()
	}
	for _, id := range l.Unstable {
		s.unstable[id] = true
	}
	for _, id := range l.Differ {
		s.differ[id] = true
	}
	for _, key := range l.Muted {
		s.muted[key] = true
	}
}

// Entry implements [engine.Sink].
func (s *side) Entry(e engine.Entry) {
	s.w.send(&wire.Message{Entry: &wire.Entry{Steps: seq.AppendBinary(nil, e.Steps), Sides: e.Sides}})
}

// Finding implements [engine.Sink]: in a comparison no sequence is judged.
func (s *side) Finding(engine.Finding) {}

// compose composes up to n sequences and sends them.
func (s *side) compose(n int) {
	s.batch = wire.Batch{Data: s.batch.Data[:0]}
	before := s.w.engine.Counts().Steps
	for began := time.Now(); n > 0 && time.Since(began) < batchTime; n -= batch {
		for range min(n, batch) {
			s.armed = true
			s.w.engine.Run(1)
		}
	}
	c := s.w.engine.Counts()
	s.batch.Steps = c.Steps - before
	s.batch.Covered = s.w.engine.Covered().Count()
	s.batch.Recycle = s.w.full()
	s.w.send(&wire.Message{Batch: &s.batch})
}

// ended puts the sequence that was composed into the batch. What ends later is a
// run of what is being kept.
func (s *side) ended(steps seq.Sequence) {
	if !s.armed || len(steps) == 0 {
		return
	}
	s.armed = false
	s.steps = seq.AppendBinary(s.steps[:0], steps)
	marks := s.w.exec.watch.marks
	b := binary.AppendUvarint(s.batch.Data, uint64(len(s.steps)))
	b = append(b, s.steps...)
	b = binary.AppendUvarint(b, uint64(len(marks)))
	for _, m := range marks {
		b = binary.LittleEndian.AppendUint32(b, m)
	}
	s.batch.Data = b
	s.batch.Sequences++
}

var errBatch = errors.New("batch is cut short")

// compare runs the sequences of the other side's batch and tells of those that
// show something else.
func (s *side) compare(batch *wire.Batch) error {
	clear(s.told)
	var res wire.Compared
	for data := batch.Data; len(data) > 0; {
		steps, rest, ok := cut(data, 1)
		if !ok {
			return errBatch
		}
		marks, rest, ok := cut(rest, 4)
		if !ok {
			return errBatch
		}
		data = rest
		sequence, err := seq.DecodeBinary(s.w.table, s.w.pool.Literals, steps)
		if err != nil {
			return err
		}
		if key, cut, found := s.mismatch(sequence, marks); found && s.told[key] < maxOfKey && len(res.Mismatches) < maxMismatches {
			s.told[key]++
			res.Mismatches = append(res.Mismatches, wire.Mismatch{Steps: seq.AppendBinary(nil, sequence[:cut]), Key: key})
		}
	}
	res.Unstable, s.fresh = s.fresh, nil
	s.w.send(&wire.Message{Compared: &res})
	return nil
}

// cut cuts a list of n-byte items, its length before it, from data.
func cut(data []byte, n int) (list, rest []byte, ok bool) {
	count, size := binary.Uvarint(data)
	if size <= 0 || count > uint64(len(data)-size)/uint64(n) {
		return nil, nil, false
	}
	data = data[size:]
	return data[:int(count)*n], data[int(count)*n:], true
}

// mismatch runs a sequence and reports whether, somewhere that counts, its marks
// are not those of the other side.
// It needs the first cut steps to show.
func (s *side) mismatch(sequence seq.Sequence, marks []byte) (key uint64, cut int, found bool) {
	s.w.boxAll(sequence)
	out, ran := engine.Execute(s.w.exec, s.w.table, sequence)
	s.compared++
	mine := s.w.exec.watch.marks
	equal := len(mine)*4 == len(marks)
	for i := 0; equal && i < len(mine); i++ {
		equal = mine[i] == binary.LittleEndian.Uint32(marks[4*i:])
	}
	if !equal {
		theirs := make([]uint32, len(marks)/4)
		for i := range theirs {
			theirs[i] = binary.LittleEndian.Uint32(marks[4*i:])
		}
		mine = slices.Clone(mine)
		var at int
		if key, at, found = s.first(sequence, mine, theirs); found && !s.repeats(sequence, mine) {
			return 0, 0, false
		}
		cut = at + 1
	}
	if !found && out.Verdict == nil && ran == len(sequence) && s.w.engine.Novel(out.Hits) {
		s.w.engine.Add(sequence)
	}
	return key, cut, found
}

// repeats runs a sequence once more and reports whether it shows the same. If not,
// the first step that does not is held against its operation.
func (s *side) repeats(sequence seq.Sequence, marks []uint32) bool {
	engine.Execute(s.w.exec, s.w.table, sequence)
	again := s.w.exec.watch.marks
	for i := range min(len(sequence), len(marks), len(again)) {
		if marks[i] == again[i] {
			continue
		}
		if op := sequence[i].Op; s.shaky[op] < maxShaky {
			if s.shaky[op]++; s.shaky[op] == maxShaky {
				s.unstable[op] = true
				s.fresh = append(s.fresh, op)
			}
		}
		return false
	}
	return slices.Equal(marks, again)
}

// first returns the key of the first mismatch that is news, and its step.
func (s *side) first(sequence seq.Sequence, mine, theirs []uint32) (key uint64, at int, found bool) {
	taint := difference.NewTaint(s.w.table, sequence)
	deep := s.compared%differOneIn == 0
	for i, st := range sequence {
		if i >= len(mine) || i >= len(theirs) {
			return 0, 0, false
		}
		a, b := mine[i], theirs[i]
		broken := statusOf(a) == engine.Broken || statusOf(b) == engine.Broken
		tainted := taint.Step(i, s.unstable[st.Op] || s.differ[st.Op] && !deep)
		if a != b && !tainted {
			key := mismatchKey(st.Op, a, b)
			if !s.muted[key] {
				return key, i, true
			}
			taint.Mark(i)
		}
		if broken {
			return 0, 0, false
		}
	}
	mine, theirs = mine[len(sequence):], theirs[len(sequence):]
	for slot := range min(len(mine), len(theirs)) {
		if mine[slot] == theirs[slot] || taint.Of(slot) {
			continue
		}
		if key := slotKey | uint64(taint.Maker(slot)); !s.muted[key] {
			return key, len(sequence) - 1, true
		}
	}
	return 0, 0, false
}

// slotKey marks keys of mismatches that show at the end only.
const slotKey = 1 << 48

// mismatchKey tells a mismatch in a call of op by how the call went on both sides,
// in either order.
func mismatchKey(op seq.OpID, a, b uint32) uint64 {
	x, y := statusOf(a), statusOf(b)
	return uint64(op) | uint64(min(x, y))<<32 | uint64(max(x, y))<<36
}
