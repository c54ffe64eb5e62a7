package executor

import (
	"reflect"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/harness/digest"
	"foray.test/harness/golit"
)

// A recording notes the results of each step of a sequence as Go that a test can compare
// with, and which steps leave all values as they are.
type recording struct {
	x        *Executor
	lits     *golit.Writer
	digester *digest.Digester
	before   []digest.Digest // of the slots
	made     []digest.Digest // … when they were made
	log      *callLog        // of the step that runs
	runs     int
}

// Every second recording is made elsewhere, in a time zone of no country. A result that differs
// there depends on the machine, and no test can compare with it.
var (
	home      = time.Local
	elsewhere = time.FixedZone("Foray", (5*60+37)*60)
)

// move has the next run be in another time zone than the last.
func (r *recording) move() {
	if RaceEnabled {
		return // goroutines of calls may read the zone
	}
	time.Local = home
	if r.runs++; r.runs%2 == 0 {
		time.Local = elsewhere
	}
}

// callLog notes the calls of one function literal.
type callLog struct {
	arg  int
	list reflect.Value // of the first arguments
	bad  bool          // not all of them are known
}

func newRecording(x *Executor) *recording {
	r := &recording{x: x, digester: digest.New(digest.Limits{})}
	r.lits = golit.NewWriter(x.table, x.bindings.Types, r.sentinels())
	return r
}

// sentinels returns the error variables of the package, by how Go names them.
func (r *recording) sentinels() []golit.Sentinel {
	var list []golit.Sentinel
	for id := range r.x.table.Ops {
		op := &r.x.table.Ops[id]
		if op.Kind != seq.VarGet || len(op.Results) != 1 || len(op.Params) > 0 || !r.x.table.Types[op.Results[0]].Is("", "error") || r.x.bindings.Ops[id] == nil {
			continue
		}
		var out [1]any
		r.x.bindings.Ops[id](nil, out[:])
		if err, ok := out[0].(error); ok {
			list = append(list, golit.Sentinel{Name: op.Template, Err: err})
		}
	}
	return list
}

// Record runs s and returns its recording.
func (x *Executor) Record(s seq.Sequence) *regression.Run {
	if x.recording == nil {
		x.recording = newRecording(x)
	}
	x.recording.move()
	run := x.recording.run(s)
	x.owner.keep()
	for side, hit := range x.Taken() {
		if hit != 0 {
			run.Sides = append(run.Sides, int32(side))
		}
	}
	x.journal.idle()
	return run
}

func (r *recording) run(s seq.Sequence) *regression.Run {
	x, run := r.x, &regression.Run{}
	x.Begin(engine.RunOptions{})
	r.before, r.made = r.before[:0], r.made[:0]
	for i := range s {
		first := len(x.vals)
		restore := r.listen(s, i)
		status := x.Append(s[i]).Status
		restore()
		if x.voids || status == engine.Refused {
			status = engine.Broken
		}
		st := regression.Step{Status: status, Pure: r.pure(first)}
		if status != engine.Broken {
			for k := range x.ops[s[i].Op].results {
				st.Results = append(st.Results, r.result(first, k))
			}
			st.Calls = r.calls(st.Pure)
		}
		run.Steps = append(run.Steps, st)
		if status == engine.Broken {
			break
		}
		for _, v := range x.vals[first:] {
			sum := r.digester.Sum(v)
			r.before, r.made = append(r.before, sum), append(r.made, sum)
		}
	}
	for slot, now := range r.before {
		if now.Hash == r.made[slot].Hash {
			continue
		}
		if end := r.lits.Content(x.types[slot], x.vals[slot]); end.How != regression.None {
			run.Ends = append(run.Ends, regression.End{Slot: int32(slot), Result: end})
		}
	}
	return run
}

// pure reports whether the step that has just run left the first n slots as they
// were, and notes how they are.
func (r *recording) pure(n int) bool {
	same := true
	for slot := range n {
		now := r.digester.Sum(r.x.vals[slot])
		same = same && now.Hash == r.before[slot].Hash && !now.Truncated
		r.before[slot] = now
	}
	return same
}

// result notes result k of a step; first is the first slot of the step.
func (r *recording) result(first, k int) regression.Result {
	x := r.x
	slot := first + k
	ty, v := x.types[slot], x.vals[slot]
	for earlier := range first {
		if same(v, x.vals[earlier]) && (x.table.AssignableTo(x.types[earlier], ty) || x.table.AssignableTo(ty, x.types[earlier])) {
			return regression.Result{How: regression.Same, Slot: int32(earlier)}
		}
	}
	return r.lits.Result(ty, v)
}

// same reports whether two values are the same pointer, not nil.
func same(a, b any) bool {
	if a == nil || b == nil || isNil(a) {
		return false
	}
	t := reflect.TypeOf(a)
	// Pointers to values without size may be equal or not.
	return t.Kind() == reflect.Pointer && t.Elem().Size() > 0 && t == reflect.TypeOf(b) && a == b
}

// listen has the calls noted that step i makes of a function literal, if it takes just
// one that no other step takes. The returned function undoes that.
func (r *recording) listen(s seq.Sequence, i int) (restore func()) {
	r.log = nil
	arg := -1
	for j, a := range s[i].Args {
		if a.Lit == nil && r.isLiteral(s, a.Slot) {
			if arg >= 0 {
				return func() {}
			}
			arg = j
		}
	}
	if arg < 0 {
		return func() {}
	}
	slot := s[i].Args[arg].Slot
	own := r.x.vals[slot]
	f := reflect.ValueOf(own)
	if !f.IsValid() || f.Kind() != reflect.Func || f.IsNil() || !collectable(f.Type()) {
		return func() {}
	}
	log := &callLog{arg: arg, list: reflect.Zero(reflect.SliceOf(f.Type().In(0)))}
	r.log = log
	r.x.vals[slot] = reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
		if log.list.Len() < maxLogged {
			log.list = reflect.Append(log.list, in[0])
		} else {
			log.bad = true
		}
		return f.Call(in)
	}).Interface()
	return func() { r.x.vals[slot] = own }
}

// maxLogged is how many calls of a function are noted.
const maxLogged = 32

// isLiteral reports whether slot is made by a function literal that takes nothing
// but literals, for one step only.
func (r *recording) isLiteral(s seq.Sequence, slot int32) bool {
	if slot < 0 || int(slot) >= len(r.x.vals) {
		return false
	}
	st := s[s.Maker(r.x.table, slot)]
	return r.x.table.Ops[st.Op].Kind == seq.FuncLit && len(seq.Uses(s, slot)) == 1 &&
		!slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil })
}

// collectable reports whether the first arguments of a function are worth noting:
// one that is given elements is, one that compares two is none of it.
func collectable(t reflect.Type) bool {
	return !t.IsVariadic() && (t.NumIn() == 1 || t.NumIn() == 2 && t.NumOut() == 0) && !golit.Refers(t.In(0))
}

// calls returns the calls noted in the last step.
func (r *recording) calls(pure bool) *regression.Calls {
	log := r.log
	if log == nil || log.bad || log.list.Len() == 0 && !pure {
		return nil
	}
	text, typ, ok := r.lits.List(log.list)
	if !ok {
		return nil
	}
	return &regression.Calls{Arg: log.arg, Text: text, Type: typ}
}
