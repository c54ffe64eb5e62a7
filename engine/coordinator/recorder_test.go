package coordinator

import (
	"context"
	"testing"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// recorder keeps the reports of a run.
type recorder struct {
	entries  []string
	seeds    int // entries that are seeds
	solved   int // … of them those that were solved for
	findings []engine.Finding
	warnings []string
	notes    []string
	progress int
	table    *seq.Table
	onFind   func(engine.Finding)

	onProgress func()
	onSnapshot func(Snapshot)
	onProve    func(ctx context.Context, list []engine.Finding, giveWay bool)
}

func (r *recorder) Prove(ctx context.Context, list []engine.Finding, giveWay bool, done func(i int)) {
	if r.onProve != nil {
		r.onProve(ctx, list, giveWay)
	}
	for i := range list {
		done(i)
	}
}

func (r *recorder) Warn(msg string) { r.warnings = append(r.warnings, msg) }
func (r *recorder) Note(msg string) { r.notes = append(r.notes, msg) }

func (r *recorder) Progress(s Snapshot) {
	r.progress++
	if r.onSnapshot != nil {
		r.onSnapshot(s)
	}
	if r.onProgress != nil {
		r.onProgress()
	}
}

func (r *recorder) Entry(e engine.Entry) {
	if len(e.Sides) == 0 {
		return // kept for its value
	}
	r.entries = append(r.entries, r.table.String(e.Steps))
	if e.Seed {
		r.seeds++
	}
	if e.Solved {
		r.solved++
	}
}

func (r *recorder) Finding(f engine.Finding) {
	r.findings = append(r.findings, f)
	if r.onFind != nil {
		r.onFind(f)
	}
}

// find returns the finding of an operation.
func (r *recorder) find(op string) (engine.Finding, bool) {
	for _, f := range r.findings {
		if r.table.Ops[f.Verdict.Op].Name == op {
			return f, true
		}
	}
	return engine.Finding{}, false
}

// config returns a configuration for a table, with one worker and a recorder.
func config(tb testing.TB, table *seq.Table) (Config, *recorder) {
	tb.Helper()
	r := &recorder{table: table}
	return Config{
		Config: replay.Config{
			Spawn: workertest.Spawn(tb, table), Table: table, Pool: engine.NewPool(table), Sides: workertest.Sides,
			JudgeDeath: workertest.JudgeDeath(table),
		},
		Parallel: 1, Seed: 1, Report: r,
	}, r
}
