package harness

import (
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// judge turns what a run showed into verdicts: panics by the rules of
// harness/contract, and contracts held against new values.
type judge struct {
	x      *executor
	byType [][]*boundContract
	out    [16]any // results of a contract's calls
	in     [4]any
	broke  bool // a call of the contract panicked
	called seq.Step
	runs   uint64
}

// boundContract is a contract with what became of it in this process.
type boundContract struct {
	contract.Contract
	off bool // it changed what it looked at
}

// Bounds on what contracts cost: they run on the newest values only, and one that
// walks a whole value in one sequence of so many.
const (
	maxJudged    = 6
	maxPartners  = 3
	sampleLinear = 8
)

func newJudge(x *executor, list []contract.Contract) *judge {
	j := &judge{x: x, byType: make([][]*boundContract, len(x.table.Types))}
	for _, c := range list {
		j.byType[c.Type] = append(j.byType[c.Type], &boundContract{Contract: c})
	}
	return j
}

// panicked judges the panic that broke the last step of s.
func (j *judge) panicked(s seq.Sequence) *engine.Verdict {
	st := s[len(s)-1]
	f := contract.Facts{
		Table: j.x.table, Op: st.Op, Value: j.x.panicked.value, Frames: j.x.panicked.frames(),
		Steps: s, Values: j.x.vals,
	}
	for i := range st.Args {
		f.Args = append(f.Args, contract.Describe(j.x.in[i]))
	}
	v := contract.Panic(f)
	return &v
}

// applies reports whether some contract is bound to the type of a fresh slot.
func (j *judge) applies(types []seq.TypeID, fresh []int32) bool {
	for _, slot := range fresh {
		if len(j.byType[types[slot]]) > 0 {
			return true
		}
	}
	return false
}

// hold holds the contracts against the fresh slots of s, newest first, and
// returns the verdict of the first that does not hold.
func (j *judge) hold(s seq.Sequence, types []seq.TypeID, fresh []int32) *engine.Verdict {
	j.runs++
	var taints []contract.Taint
	judged := 0
	for i := len(fresh) - 1; i >= 0 && judged < maxJudged; i-- {
		slot := fresh[i]
		list := j.byType[types[slot]]
		if len(list) == 0 || isNil(j.x.vals[slot]) {
			continue
		}
		if taints == nil {
			taints = contract.Taints(j.x.table, s, j.x.vals)
		}
		if taints[slot] != 0 {
			continue
		}
		judged++
		for _, c := range list {
			if c.off || c.Cost == contract.Linear && j.runs%sampleLinear != 0 {
				continue
			}
			if v := j.holdOne(c, s, types, taints, slot); v != nil {
				return v
			}
		}
	}
	return nil
}

// holdOne holds c against slot and, if its arity asks for it, other values of the
// same type.
func (j *judge) holdOne(c *boundContract, s seq.Sequence, types []seq.TypeID, taints []contract.Taint, slot int32) *engine.Verdict {
	tuple := []int32{slot}
	if c.Arity == 1 {
		return j.check(c, s, tuple)
	}
	partners := 0
	for other := int32(len(types)) - 1; other >= 0 && partners < maxPartners; other-- {
		if other == slot || types[other] != types[slot] || taints[other] != 0 || isNil(j.x.vals[other]) {
			continue
		}
		partners++
		if c.Arity == 2 {
			if v := j.check(c, s, []int32{slot, other}); v != nil {
				return v
			}
			continue
		}
		for third := other - 1; third >= 0; third-- {
			if third == slot || types[third] != types[slot] || taints[third] != 0 || isNil(j.x.vals[third]) {
				continue
			}
			if v := j.check(c, s, []int32{slot, other, third}); v != nil {
				return v
			}
			break
		}
	}
	return nil
}

// check holds c against the values of some slots.
func (j *judge) check(c *boundContract, s seq.Sequence, slots []int32) *engine.Verdict {
	values := make([]any, len(slots))
	var before [3]uint64
	for i, slot := range slots {
		values[i] = j.x.vals[slot]
		before[i] = j.x.digester.Sum(values[i]).Hash
	}
	j.broke = false
	ok, detail := c.Holds(j, values)
	if j.broke && ok {
		// The call of the contract is what broke: judged as any call.
		v := j.panickedIn(s, c)
		if v.Tier != engine.Illegal {
			return v
		}
		return nil
	}
	for i := range slots {
		if j.x.digester.Sum(values[i]).Hash != before[i] {
			// It changes what it looks at: neither it nor what follows can be trusted.
			c.off = true
			return nil
		}
	}
	if ok {
		return nil
	}
	v := c.Verdict(j.x.table, slots, detail)
	return &v
}

// panickedIn judges a panic in a call that contract c made behind s.
func (j *judge) panickedIn(s seq.Sequence, c *boundContract) *engine.Verdict {
	f := contract.Facts{
		Table: j.x.table, Op: j.called.Op, Value: j.x.panicked.value, Frames: j.x.panicked.frames(),
		Steps: append(s.Clone(), j.called), Values: j.x.vals,
	}
	for i := range j.x.table.Ops[j.called.Op].Params {
		f.Args = append(f.Args, contract.Describe(j.in[i]))
	}
	v := contract.Panic(f)
	v.Contract = c.Name
	return &v
}

// Call implements [contract.Caller].
func (j *judge) Call(op seq.OpID, args ...any) (results []any, panicked any) {
	in := j.in[:copy(j.in[:], args)]
	out := j.out[:len(j.x.table.Ops[op].Results)]
	clear(out)
	if !j.x.call(j.x.ops[op].adapter, in, out) {
		j.broke, j.called = true, seq.Step{Op: op}
		return nil, j.x.panicked.value
	}
	return out, nil
}
