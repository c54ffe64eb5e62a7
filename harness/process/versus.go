package process

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
	"foray.test/harness/executor"
)

// side is a worker that is one side of a comparison of two versions. Both sides
// have the same table. Each composes, aims at its own new branches, and runs the
// sequences of the other. The result of a step crosses as a mark of 32 bits, so that
// only mismatches cost more than the run.
//
// A call that does not come back takes its goroutine with it. So the order that the side
// works on stands here, for the next goroutine to go on with.
type side struct {
	w        *worker
	unstable []bool     // by operation
	differ   []bool     // by operation
	shaky    []uint8    // by operation: how often it did not repeat itself
	fresh    []seq.OpID // operations that have turned out unstable
	muted    map[uint64]bool

	compared uint64

	order *wire.Message // the one under way, if any
	composing
	comparing
}

// Composing is the batch of sequences that a side composes.
type composing struct {
	began time.Time
	left  int // sequences to compose
	steps uint64
	batch wire.Batch
	armed bool // the next sequence that ends is one to put in the batch
	buf   []byte
}

// Comparing is the batch of the other side that a side runs.
type comparing struct {
	data    []byte         // to be run yet
	running seq.Sequence   // the sequence under way; nil in a run of the engine's
	theirs  []byte         // its marks on the other side
	again   bool           // it is being run once more
	told    map[uint64]int // mismatches of this batch by key
	res     wire.Compared
}

func newSide(w *worker, m *wire.Versus) *side {
	n := len(w.table.Ops)
	s := &side{
		w: w, unstable: make([]bool, n), differ: make([]bool, n), shaky: make([]uint8, n),
		muted: map[uint64]bool{}, comparing: comparing{told: map[uint64]int{}},
	}
	w.exec.CompareRuns(s.ended)
	w.named = coverage.NewSet(executor.Sides())
	w.engine = engine.New(engine.Config{
		Table: w.table, Pool: w.pool, Executor: w.exec, Source: draw.Random(m.Seed),
		Sides: executor.Sides(), Params: engine.Params{MinimizeRuns: sideRuns}, Sink: s,
	})
	s.learn(&m.Learn)
	return s
}

// serve answers the requests of the coordinator. It may be called anew at any time, by a
// goroutine that takes over.
func (s *side) serve() error {
	for s.w.err == nil {
		if s.order == nil {
			s.w.addEntries()
			switch m := <-s.w.commands; {
			case m.Learn != nil:
				s.learn(m.Learn)
			case m.Compose != nil:
				s.order, s.left, s.began, s.steps = m, m.Compose.Sequences, time.Now(), s.w.engine.Counts().Steps
				s.batch = wire.Batch{Data: s.batch.Data[:0]}
			case m.Compare != nil:
				s.order, s.data, s.res = m, m.Compare.Batch.Data, wire.Compared{}
				clear(s.told)
			case m.Stop:
				return s.w.err
			}
			continue
		}
		if s.order.Compose != nil {
			s.compose()
		} else if err := s.compare(); err != nil {
			return err
		}
		s.order = nil
	}
	return s.w.err
}

// lost is told that the call under way does not come back. marks are those of the
// steps before it.
func (s *side) lost(l *wire.Lost, hits []byte, marks []uint32) {
	s.w.shared.Oracle.Store(0)
	if !l.Goexit {
		s.w.abandoned++
	}
	if s.order == nil || s.order.Compose != nil || s.running == nil {
		ran, err := seq.DecodeSteps(s.w.table, s.w.pool.Literals, l.Steps)
		if s.order != nil && s.order.Compose != nil && s.armed && err == nil && len(ran) > 0 {
			s.put(ran, append(slices.Clone(marks[:min(len(marks), len(ran)-1)]), lostMark))
		}
		s.arm(false)
		s.w.engine.Abandon(s.w.executor, hits, why(l))
		return
	}
	s.w.engine.Use(s.w.executor)
	ran := s.running
	s.running = nil
	if !s.again {
		s.judge(ran, append(slices.Clone(marks), lostMark), false)
	}
}

// lostMark is the mark of a call that does not come back.
const lostMark = 1<<executor.StatusBits - 1

func (s *side) learn(l *wire.Learn) {
	s.w.learn(l)
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
	s.w.send(&wire.Message{Entry: &wire.Entry{Entry: e, Steps: seq.AppendBinary(nil, e.Steps)}})
}

// Finding implements [engine.Sink]: in a comparison no sequence is judged.
func (s *side) Finding(engine.Finding) {}
func (s *side) Attempt(int)            {}
func (s *side) Endless(seq.Sequence)   {}

// compose composes the sequences of a batch and sends it.
func (s *side) compose() {
	for s.left > 0 && time.Since(s.began) < batchTime {
		s.left--
		s.arm(true)
		s.w.engine.Run(1)
		s.arm(false)
	}
	c := s.w.engine.Counts()
	s.batch.Steps = c.Steps - s.steps
	s.batch.Covered = s.w.engine.Covered().Count()
	s.batch.Recycle = s.w.full(s.w.load())
	s.w.send(&wire.Message{Batch: &s.batch})
}

// arm says whether the next sequence that ends is one to put in the batch. The results of
// others are not recorded.
func (s *side) arm(armed bool) { s.armed = armed; s.w.exec.Look(armed) }

// ended puts the sequence that was composed into the batch. Sequences that end later are
// runs that prune an entry.
func (s *side) ended(steps seq.Sequence) {
	if s.armed && len(steps) > 0 {
		s.arm(false)
		s.put(steps, s.w.exec.Marks())
	}
}

// put puts a sequence and its marks into the batch.
func (s *side) put(steps seq.Sequence, marks []uint32) {
	s.buf = seq.AppendBinary(s.buf[:0], steps)
	b := binary.AppendUvarint(s.batch.Data, uint64(len(s.buf)))
	b = append(b, s.buf...)
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
func (s *side) compare() error {
	for len(s.data) > 0 {
		steps, rest, ok := cut(s.data, 1)
		if !ok {
			return errBatch
		}
		if s.theirs, s.data, ok = cut(rest, 4); !ok {
			return errBatch
		}
		sequence, err := seq.DecodeBinary(s.w.table, s.w.pool.Literals, steps)
		if err != nil {
			return err
		}
		s.w.boxAll(sequence)
		s.running, s.again = sequence, false
		out, ran := s.show(sequence)
		novel := out.Verdict == nil && ran == len(sequence) && s.w.engine.Novel(out.Hits)
		found := s.judge(sequence, s.w.exec.Marks(), true)
		s.running = nil
		if novel && !found {
			s.w.engine.Add(sequence)
		}
	}
	s.res.Unstable, s.fresh = s.fresh, nil
	s.w.send(&wire.Message{Compared: &s.res})
	return nil
}

// show runs a sequence and leaves its marks with the watcher.
func (s *side) show(sequence seq.Sequence) (engine.Outcome, int) {
	s.w.exec.Look(true)
	out, ran := engine.Execute(s.w.exec, s.w.table, sequence, engine.RunOptions{})
	s.w.exec.Look(false)
	return out, ran
}

// judge compares the marks of a sequence with those of the other side, and reports
// whether they differ, somewhere that counts, and not here alone from run to run.
func (s *side) judge(sequence seq.Sequence, mine []uint32, again bool) bool {
	s.compared++
	equal := len(mine)*4 == len(s.theirs)
	for i := 0; equal && i < len(mine); i++ {
		equal = mine[i] == binary.LittleEndian.Uint32(s.theirs[4*i:])
	}
	if equal {
		return false
	}
	theirs := make([]uint32, len(s.theirs)/4)
	for i := range theirs {
		theirs[i] = binary.LittleEndian.Uint32(s.theirs[4*i:])
	}
	mine = slices.Clone(mine)
	key, at, found := s.first(sequence, mine, theirs)
	if !found || again && !s.repeats(sequence, mine, at) {
		return false
	}
	if s.told[key] < maxOfKey && len(s.res.Mismatches) < maxMismatches {
		s.told[key]++
		s.res.Mismatches = append(s.res.Mismatches, wire.Mismatch{Steps: seq.AppendBinary(nil, sequence[:at+1]), Key: key})
	}
	return true
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

// repeats runs a sequence once more and reports whether its marks are the same up to step
// at, and also after the last step if at is the last. Steps that depend on operations
// known to be unstable do not count. If another differs, its operation becomes unstable.
func (s *side) repeats(sequence seq.Sequence, marks []uint32, at int) bool {
	s.again = true
	s.show(sequence)
	again := s.w.exec.Marks()
	if at >= len(marks) || at >= len(again) {
		return len(marks) == len(again)
	}
	taint := difference.NewTaint(s.w.table, sequence)
	for i := range at + 1 {
		tainted := taint.Step(i, s.unstable[sequence[i].Op])
		if marks[i] == again[i] || tainted && !oneBroke(marks[i], again[i]) {
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
	if at < len(sequence)-1 {
		return true
	}
	if len(marks) != len(again) {
		return false
	}
	for slot := range len(marks) - len(sequence) {
		if i := len(sequence) + slot; marks[i] != again[i] && !taint.Of(slot) {
			return false
		}
	}
	return true
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
		broken := executor.StatusOf(a) >= engine.Broken || executor.StatusOf(b) >= engine.Broken // or lost
		takes := taint.Takes(i)
		tainted := taint.Step(i, s.unstable[st.Op] || s.differ[st.Op] && !deep)
		if a != b && (!tainted || !takes && !s.differ[st.Op] && oneBroke(a, b)) {
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

// oneBroke reports whether a step panicked on one side and returned on the other.
func oneBroke(a, b uint32) bool {
	x, y := executor.StatusOf(a), executor.StatusOf(b)
	return (x == engine.Broken) != (y == engine.Broken) && a != lostMark && b != lostMark
}

// slotKey marks keys of mismatches that show at the end only.
const slotKey = 1 << 48

// mismatchKey tells a mismatch in a call of op by how the call went on both sides,
// in either order.
func mismatchKey(op seq.OpID, a, b uint32) uint64 {
	x, y := executor.StatusOf(a), executor.StatusOf(b)
	return uint64(op) | uint64(min(x, y))<<32 | uint64(max(x, y))<<36
}
