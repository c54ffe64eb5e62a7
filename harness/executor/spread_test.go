package executor

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// findings is a sink that keeps findings.
type findings struct {
	noSink
	list []engine.Finding
}

func (f *findings) Finding(found engine.Finding) { f.list = append(f.list, found) }

// forgetful is a fixture whose Get is wrong for a few keys, with the law of Put and Get held as
// one of plain data.
func forgetful(t *testing.T, wrong func(key int) bool) *fixture {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	get := f.exec.ops[opGet].adapter
	f.exec.ops[opGet].adapter = func(in, out []any) {
		if get(in, out); wrong(in[1].(int)) {
			out[1] = false
		}
	}
	var law contract.Law
	for _, l := range contract.Laws(f.table) {
		if l.Name == "put-get" {
			law = l
		}
	}
	law.Plain, law.Quiet = true, true
	f.exec.judge.rules = lawRules(f.table, law)
	return f
}

// rare reports whether key is one of a few that no range separates.
func rare(key int) bool { return key > 50 && key%41 == 1 }

// A law that holds in the contexts that composition makes is tried with other plain literals. The
// breach is one of another sequence than the one that ran.
func TestTriesPlainLiterals(t *testing.T) {
	for _, tt := range []struct {
		name  string
		wrong func(key int) bool
		told  bool
	}{
		{"kept", func(int) bool { return false }, false},
		{"few keys", rare, true},
		{"many keys", func(key int) bool { return key >= 80 }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := forgetful(t, tt.wrong)
			var told *engine.Outcome
			for i := 0; i < 4000 && told == nil; i++ {
				s := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(int64(i % 8)), f.lit(2)}}}
				f.exec.Begin(engine.RunOptions{})
				for i := range s {
					f.exec.Append(s[i])
				}
				if out := f.exec.End(s, nil); out.Verdict != nil {
					told = &out
				}
			}
			if (told != nil) != tt.told {
				t.Fatalf("told %+v, want one: %t", told, tt.told)
			}
			if told == nil {
				return
			}
			if key := told.Shows[1].Args[1].Lit.Boxed.(int); !tt.wrong(key) || told.Verdict.Tier != engine.Error || !strings.Contains(told.Verdict.Evidence, "of plain") {
				t.Errorf("key %d is told as %+v", key, told.Verdict)
			}
		})
	}
}

// Data of a kind that was not tried are, however many there were of other kinds: for a parameter of
// type any, most literals are integers. The calls that have nothing to do with them do not count.
func TestTriesEachKindOfData(t *testing.T) {
	lit := func(v any) seq.Arg { return seq.Lit(&seq.Literal{Value: v}) }
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	call := func(given any) *contract.Call {
		return &contract.Call{Table: f.table, Steps: seq.Sequence{{Op: opNew}, {Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(1), lit("a"), lit("a")}},
			{Op: opPut, Args: []seq.Arg{seq.Slot(0), lit(given), lit(given)}}}}
	}
	for given, want := range map[any]bool{int64(1): false, uint64(1): false, "a": true, 1.5: true, true: false} {
		j, k := &judge{}, newKeeping("")
		for range tryContexts {
			k.count(engine.Words, true, nil)
		}
		k.tries, k.tried[ofInteger] = maxTries, maxTries
		if j.notes(k, call(given)); (j.kept.k == k) != want {
			t.Errorf("data of %T are tried: %t, want %t", given, j.kept.k == k, want)
		}
	}
}

// A text of nothing but marks, as the dash of a list, is drawn now and then: more than one in a
// hundred would have a package that quotes none of them keep nothing.
func TestPlainTextsOfMarks(t *testing.T) {
	const draws = 10_000
	random, marks, dashes := rand.New(rand.NewPCG(1, 1)), 0, 0
	for range draws {
		s := plainValue(random, "a", engine.Plain).(string)
		if strings.Trim(s, plainMarks) == "" {
			marks++
		}
		if s == "-" {
			dashes++
		}
	}
	if dashes < draws/300 || dashes > draws/100 || marks > draws/30 {
		t.Errorf("of %d plain texts %d are of marks and %d are dashes", draws, marks, dashes)
	}
}

// Some plain fractions have as many digits as one that was computed.
func TestPlainFractionsOfAllDigits(t *testing.T) {
	random, computed := rand.New(rand.NewPCG(1, 0)), 0
	const n = 1000
	for range n {
		x := plainValue(random, float64(0), engine.Words).(float64)
		if len(strconv.FormatFloat(x, 'f', -1, 64)) > 14 {
			computed++
		}
		if plainness([]any{x}) != engine.Words {
			t.Errorf("%v is not plain", x)
		}
	}
	if computed < n/computedOneIn/2 || computed > 2*n/computedOneIn {
		t.Errorf("%d of %d have all digits", computed, n)
	}
}

// While a law runs a sequence again, with its own literals or with others, the journal names
// the law: Get is called by the law alone, and Put by the sequence and the law. A sequence
// without a law that only looks does not run again for one.
func TestTriesNameTheLaw(t *testing.T) {
	f := forgetful(t, func(int) bool { return false })
	for l := range f.exec.judge.keepings {
		changing := *l
		changing.Changes = true
		f.exec.judge.rules = lawRules(f.table, changing)
	}
	calls := map[seq.OpID]map[engine.OracleID]int{}
	for _, op := range []seq.OpID{opPut, opGet} {
		adapter, seen := f.exec.ops[op].adapter, map[engine.OracleID]int{}
		calls[op] = seen
		f.exec.ops[op].adapter = func(in, out []any) {
			seen[engine.OracleID(f.exec.journal.shared.Oracle.Load())]++
			adapter(in, out)
		}
	}
	for i := range 4000 {
		s := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(int64(i % 8)), f.lit(2)}}}
		f.exec.Begin(engine.RunOptions{})
		for i := range s {
			f.exec.Append(s[i])
		}
		f.exec.End(s, nil)
	}
	if n := calls[opGet]; len(n) == 0 || n[engine.NoOracle]+n[engine.AnyOracle] > 0 {
		t.Errorf("calls of Get by oracle: %v, want some, and only of the law", n)
	}
	if n := calls[opPut]; n[engine.NoOracle] != 4000 || n[engine.AnyOracle] > 0 {
		t.Errorf("calls of Put by oracle: %v, want 4000 of no oracle and else of the law", n)
	}
}

// The engine reports the sequence that shows the breach.
func TestFindingOfPlainLiterals(t *testing.T) {
	f := forgetful(t, rare)
	sink := &findings{}
	e := engine.New(engine.Config{Table: f.table, Pool: f.pool, Executor: f.exec, Source: draw.Random(1), Sides: Sides(), Sink: sink})
	for i := 0; i < 20000 && len(sink.list) == 0; i++ {
		e.Run(1)
	}
	if len(sink.list) == 0 {
		t.Fatal("no finding")
	}
	s := sink.list[0].Steps
	if key := s[len(s)-1].Args[1].Lit.Boxed.(int); !rare(key) {
		t.Errorf("the finding has key %d: %s", key, f.table.String(s))
	}
}
