package executor

import (
	"fmt"
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/observe"
)

// A Model is a second implementation of a table's operations.
type Model struct {
	Ops []Adapter // by seq.OpID
	Own []bool    // by seq.TypeID: the model has another type in its place
}

// A model runs the sequences that the first implementation has run, with values of its
// own.
type model struct {
	*Model
	isErr  []bool // by type: of errors only nil or not is compared
	seen   *observe.Observer
	vals   []any
	voids  []bool // by slot: the call that was to make it gave nothing
	in     [engine.MaxStepArgs]any
	before panicRecord // of the first implementation
}

func newModel(t *seq.Table, b Bindings) *model {
	m := &model{Model: b.Model, isErr: make([]bool, len(t.Types)), seen: observe.New(t.Package)}
	for i, rt := range b.Types {
		m.isErr[i] = rt == reflect.TypeFor[error]()
	}
	return m
}

// judge runs s, which x has just run, and returns a verdict if the model behaves
// otherwise. v is the verdict of x itself, perhaps a panic at the last step. The model
// decides whether that panic is right.
func (m *model) judge(x *Executor, s seq.Sequence, v *engine.Verdict) *engine.Verdict {
	panicked := x.panicked.set
	m.before = x.panicked
	defer func() { x.panicked = m.before }()
	m.vals, m.voids = m.vals[:0], m.voids[:0]
	for i := range s {
		last := i == len(s)-1
		switch m.step(x, s[i]) {
		case engine.Normal:
			if last && panicked && v != nil {
				return modelVerdict(x.table, s, i, "it panics, the model returns: "+v.Message)
			}
		case engine.Failed:
		case engine.Broken:
			if last && panicked {
				return (&engine.Verdict{Kind: engine.KindPanic, Op: s[i].Op}).Settle(engine.Ruling{Rule: "model", Reason: "the model panics as well"}, engine.Ruling{})
			}
			return modelVerdict(x.table, s, i, "it returns, the model panics: "+panicText(x.panicked.value))
		}
	}
	if panicked {
		return v
	}
	return m.compare(x, s)
}

// step runs one step on the model.
func (m *model) step(x *Executor, st seq.Step) engine.Status {
	in := m.in[:len(st.Args)]
	void := false
	for i, a := range st.Args {
		if a.Lit != nil {
			in[i] = a.Lit.Boxed
		} else {
			in[i], void = m.vals[a.Slot], void || m.voids[a.Slot]
		}
	}
	from := len(m.vals)
	for range x.ops[st.Op].results {
		m.vals, m.voids = append(m.vals, nil), append(m.voids, void)
	}
	if void || x.call(m.Ops[st.Op], in, m.vals[from:]) {
		return engine.Normal
	}
	if x.panicked.thrown() {
		for i := from; i < len(m.voids); i++ {
			m.voids[i] = true
		}
		return engine.Failed
	}
	return engine.Broken
}

// compare compares the results, as they stand behind the last step.
func (m *model) compare(x *Executor, s seq.Sequence) *engine.Verdict {
	slot := 0
	for i := range s {
		for k, id := range x.ops[s[i].Op].types {
			got, want := x.vals[slot], m.vals[slot]
			skip := m.Own[id] || m.voids[slot] || x.state[slot].void
			slot++
			if skip {
				continue
			}
			if g, w, same := m.same(id, got, want); !same {
				return modelVerdict(x.table, s, i, fmt.Sprintf("result %d is %s, the model says %s", k+1, g, w))
			}
		}
	}
	return nil
}

// same reports whether a caller sees the same in two values, and returns their texts.
func (m *model) same(id seq.TypeID, got, want any) (g, w string, same bool) {
	if m.isErr[id] {
		g, w = "nil", "nil"
		if got != nil {
			g = "error " + errorText(got.(error))
		}
		if want != nil {
			w = "error " + errorText(want.(error))
		}
		return g, w, (got == nil) == (want == nil)
	}
	if got != nil && want != nil && reflect.TypeOf(got) != reflect.TypeOf(want) && m.hasOwn(got) {
		return "", "", true // an interface holds a type of each side's own
	}
	g, w = m.seen.Of(got).String(), m.seen.Of(want).String()
	return g, w, g == w
}

// hasOwn reports whether v is of no type that both implementations have.
func (m *model) hasOwn(v any) bool {
	return behind(reflect.TypeOf(v)).PkgPath() != ""
}

func modelVerdict(t *seq.Table, s seq.Sequence, step int, detail string) *engine.Verdict {
	op := &t.Ops[s[step].Op]
	v := &engine.Verdict{
		Claim: engine.ClaimOwn, Kind: engine.KindContract, Op: s[step].Op,
		Signature: engine.Signature{Kind: engine.KindContract, Class: "model", Where: op.Short}, Contract: "model",
		Message: fmt.Sprintf("%s, step %d, differs from the model: %s", op.Short, step+1, detail),
		Steps:   step + 1,
	}
	return v.Settle(engine.Ruling{Tier: engine.Error, Rule: "model", Reason: "the model of the test's own"}, engine.Ruling{})
}
