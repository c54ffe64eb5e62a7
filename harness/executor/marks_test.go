package executor

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Contracts are held again after a sequence that was only to be observed, and by the successor
// of an executor that gave one up.
func TestContractsAfterObserve(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	var next *Executor
	f.exec.ops[opNew].adapter = func(_, out []any) {
		next = f.exec.Successor()
		next.owner = newOwnership(func([]byte) {})
		out[0] = newIntTree()
	}
	if run := f.exec.Observe(seq.Sequence{{Op: opNew}}); len(run.Steps) != 1 {
		t.Fatalf("%d steps observed, want 1", len(run.Steps))
	}
	for _, x := range []*Executor{f.exec, next} {
		f.exec = x
		if v := judged(t, f, 1, func(*intTree) bool { return false })[0]; v == nil || v.Kind != engine.KindContract {
			t.Errorf("verdict %+v, want that of the contract", v)
		}
	}
}
