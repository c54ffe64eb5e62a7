package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// aimed returns a subject with five conditions and the result of a run that aimed
// at its frontier.
func aimed() (*subject, *coordinator.Result) {
	s := &subject{target: &build.Target{Path: "m.test/p"}, table: &seq.Table{}, worker: &build.Worker{}}
	s.found.Files = []report.File{{Name: "p.go", Sum: report.Sum(nil)}}
	for i, text := range []string{"a", "b", "c", "d", "e"} {
		s.found.Conditions = append(s.found.Conditions, coverage.Condition{Package: "m.test/p", Func: "F", Ordinal: i + 1, Text: text, File: "/m/p.go", Line: i + 3, Col: 5, Kind: coverage.Bool, First: 2 * i, Sides: []string{"false", "true"}})
	}
	s.found.Sides = 10
	set := func(sides ...int) *coverage.Set {
		m := coverage.NewSet(10)
		for _, side := range sides {
			m.Add(side)
		}
		return m
	}
	res := &coordinator.Result{
		AimedFrom: set(0, 2, 4),
		Frontier: []engine.Side{
			{Side: 1, Status: engine.SideFlipped, Edit: "compared", Turns: 2, Runs: 40},
			{Side: 3, Status: engine.SideTried, Turns: 9, Price: 12, Runs: 300, Witnesses: 4}, // by one worker, and then another took it
			{Side: 5, Status: engine.SideNoInfluence, Turns: 1, Runs: 8, Witnesses: 2},
			{Side: 7, Status: engine.SideTried, Turns: 1, Price: 4, Runs: 16, Witnesses: 1},
			{Side: 4, Status: engine.SideFlipped, Edit: "composition"},               // it was taken before the search began
			{Side: 9, Status: engine.SideFlipped, Edit: "splice", Turns: 1, Runs: 3}, // unreached, and found after its other side
		},
	}
	res.Covered = set(0, 1, 2, 3, 4, 6, 8, 9)
	res.Counts.Sequences, res.Counts.LastNew = 1000, 900
	return s, res
}

func TestTried(t *testing.T) {
	s, res := aimed()
	want := map[int]report.Side{
		1: {Status: "flipped", Edit: "compared", Runs: 40},
		3: {Status: "flipped", Runs: 300},
		5: {Status: "no influence", Runs: 8, Witnesses: 2},
		7: {Status: "tried", Runs: 16, Price: 4, Witnesses: 1},
		9: {Status: "flipped", Edit: "splice", Runs: 3},
	}
	if got := tried(s.found.Conditions, res); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// Workers that died have said nothing.
	res.Frontier = nil
	want = map[int]report.Side{1: {Status: "flipped"}, 3: {Status: "flipped"}, 5: {Status: "untried"}, 7: {Status: "untried"}}
	if got := tried(s.found.Conditions, res); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// No worker aimed.
	res.AimedFrom = nil
	delete(want, 1)
	delete(want, 3)
	if got := tried(s.found.Conditions, res); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestFrontierOf(t *testing.T) {
	s, res := aimed()
	f := frontierOf(s.found.Conditions, res, s.learned(res))
	want := event.Frontier{Start: 3, Flipped: 2, Status: map[string]int{"flipped": 3, "no influence": 1, "tried": 1}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got %+v, want %+v", f, want)
	}
	if got, want := f.String(), "2 of 3 sides taken since it was aimed at; left: 1 no influence, 1 tried"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var sum event.Frontier
	sum.Add(f)
	sum.Add(f)
	if want := (event.Frontier{Start: 6, Flipped: 4, Status: map[string]int{"flipped": 6, "no influence": 2, "tried": 2}}); !reflect.DeepEqual(sum, want) {
		t.Errorf("sum %+v, want %+v", sum, want)
	}
}

// eventsOf returns the events that a function prints, decoded.
func eventsOf(t *testing.T, print func(*common)) []map[string]any {
	t.Helper()
	var b bytes.Buffer
	print(&common{json: true, out: event.NewPrinter(&b, io.Discard, event.Options{JSON: true})})
	var list []map[string]any
	for dec := json.NewDecoder(&b); dec.More(); {
		var e map[string]any
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func TestFrontierEvents(t *testing.T) {
	s, res := aimed()
	s.common = &common{out: event.NewPrinter(io.Discard, io.Discard, event.Options{})}
	res.Solved = coordinator.Solved{Asked: 1, Impossible: map[int]int{1: 9, 5: 3}} // another sequence took the first of them
	d := &done{s: s, r: &recorder{group: event.NewGroup(false, true)}, res: res, state: s.learned(res)}
	list := eventsOf(t, func(c *common) { (&fuzzing{fuzzOptions: &fuzzOptions{common: c}}).packageDone(d) })
	if len(list) != 6 {
		t.Fatalf("%d events, want 5 sides and the package: %v", len(list), list)
	}
	want := map[string]any{
		"schema": 1.0, "event": "frontier", "package": "m.test/p", "id": `m.test/p.F#1 "a"`, "file": "p.go", "line": 3.0, "text": "a", "side": "true",
		"status": "flipped", "edit": "compared", "runs": 40.0, "witnesses": 0.0, "impossible": 0.0,
	}
	if !reflect.DeepEqual(list[0], want) {
		t.Errorf("got %v\nwant %v", list[0], want)
	}
	if got := list[2]; got["line"] != 5.0 || got["impossible"] != 3.0 {
		t.Errorf("got %v, want it impossible along three witnesses", got)
	}
	p := list[5]
	if got := p["solved"].(map[string]any); got["impossible"] != 1.0 {
		t.Errorf("solved: %v, want one side impossible", got)
	}
	for name, want := range map[string]any{
		"event": "package", "frontier_start": 3.0, "frontier_flipped": 2.0, "last_new_side": 900.0,
		"frontier_status": map[string]any{"flipped": 3.0, "no influence": 1.0, "tried": 1.0},
		"functions":       []any{map[string]any{"name": "F", "sides": 10.0, "covered": 8.0}},
	} {
		if !reflect.DeepEqual(p[name], want) {
			t.Errorf("%s is %v, want %v", name, p[name], want)
		}
	}
	sum := eventsOf(t, func(c *common) { (&fuzzing{fuzzOptions: &fuzzOptions{common: c}}).summary(0) })
	if want := map[string]any{}; sum[0]["frontier_start"] != 0.0 || !reflect.DeepEqual(sum[0]["frontier_status"], want) {
		t.Errorf("summary of nothing: %v", sum[0])
	}
}

func TestRemember(t *testing.T) {
	dir := t.TempDir()
	var errs bytes.Buffer
	out := event.NewPrinter(io.Discard, &errs, event.Options{})
	run := func() *report.State {
		s, res := aimed()
		s.dir, s.common = dir, &common{out: out}
		var err error
		if s.store, err = store.Open(dir); err != nil {
			t.Fatal(err)
		}
		defer s.claim()()
		s.remember(s.learned(res))
		got := new(report.State)
		if err := s.store.LoadState(got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := run(); got.Runs != 1 || errs.Len() > 0 {
		t.Errorf("%d runs, %s", got.Runs, &errs)
	}
	got := run()
	if got.Runs != 2 || got.Sequences != 2000 || errs.Len() > 0 {
		t.Errorf("%d runs of %d sequences, %s", got.Runs, got.Sequences, &errs)
	}
	if side := got.Conditions[2].Sides[1]; side.Status != engine.SideNoInfluence || side.Runs != 16 {
		t.Errorf("got %+v, want the runs of both", side)
	}
	for name, text := range map[string]string{
		"torn":       `{"schema":1,`,
		"foreign":    `{"anything":"else"}`,
		"of another": `{"schema":1,"package":"m.test/q","runs":3,"files":null,"conditions":null}`,
	} {
		errs.Reset()
		if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := run(); got.Runs != 1 {
			t.Errorf("%s: %d runs, want a new beginning", name, got.Runs)
		}
		if msg := errs.String(); strings.Count(msg, "\n") != 1 || !strings.Contains(msg, ": moved to quarantine/state.json") {
			t.Errorf("%s: told %q, want one line", name, msg)
		}
	}
}

// Entries that a full disk has lost are not counted.
func TestCloseCounts(t *testing.T) {
	s, _ := aimed()
	dir := t.TempDir()
	var err error
	if s.store, err = store.Open(dir); err != nil {
		t.Fatal(err)
	}
	s.common = &common{out: event.NewPrinter(io.Discard, io.Discard, event.Options{})}
	r := &recorder{s: s, f: &fuzzing{fuzzOptions: &fuzzOptions{common: s.common}}, keptEntries: keptEntries{added: 1}, writer: s.store.NewWriter()}
	if err := os.Remove(filepath.Join(dir, "entries")); err != nil {
		t.Fatal(err)
	}
	if err := r.writer.Add(store.Entry{Statements: "v0 := p.New()\n"}); err != nil {
		t.Fatal(err)
	}
	if err := r.close(0); err == nil || (&done{r: r}).entries() != 0 {
		t.Errorf("error %v, %d entries, want an error and none", err, (&done{r: r}).entries())
	}
}

// A run begins with the sequences that the run before had no time to confirm.
func TestUnconfirmed(t *testing.T) {
	s, res := aimed()
	var err error
	if s.store, err = store.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	s.common = &common{out: event.NewPrinter(io.Discard, io.Discard, event.Options{})}
	s.table = &seq.Table{
		Imports: []seq.Import{{Name: "p", Path: "m.test/p"}},
		Types:   []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{1}}},
		Ops: []seq.Operation{
			{Short: "New", Template: "p.New()", Results: []seq.TypeID{1}},
			{Short: "(*T).Get", Kind: seq.Method, Template: "$0.Get()", Params: []seq.TypeID{1}},
		},
	}
	release := s.claim()
	r := &recorder{f: &fuzzing{fuzzOptions: &fuzzOptions{common: s.common}}, s: s, warned: map[string]bool{}}
	var list []seq.Sequence
	for range maxUnconfirmed {
		list = append(list, s.parse([]string{"v0 := p.New()\nv0.Get()\n"})...)
	}
	for i, left := range [][]seq.Sequence{list[:1], list[:2], append(list, list[0]), nil} {
		said := r.leave(s.learned(res), left)
		if want := []string{
			"no time was left to confirm 1 finding; the next run begins with it",
			"no time was left to confirm 2 findings; the next run begins with them",
			"no time was left to confirm 17 findings; the next run begins with 16 of them", "",
		}[i]; said != want {
			t.Errorf("%q, want %q", said, want)
		}
		if got := s.parse(s.before().Unconfirmed); len(got) != min(len(left), maxUnconfirmed) || len(got) > 0 && s.table.String(got[0]) != s.table.String(list[0]) {
			t.Errorf("%v, want %d of %v", got, min(len(left), maxUnconfirmed), left)
		}
	}
	release()
	s.claimed = false
	got := r.leave(s.learned(res), list[:3])
	if want := "no time was left to confirm 3 findings; the next run does not know of them"; got != want || len(s.parse(s.before().Unconfirmed)) > 0 {
		t.Errorf("without the lock: %q, %v; want that they are not kept", got, s.parse(s.before().Unconfirmed))
	}
}

// A process without the lock does not change the state.
func TestRememberUnclaimed(t *testing.T) {
	s, res := aimed()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.store = st
	s.remember(s.learned(res))
	if err := st.LoadState(new(report.State)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadState: %v, want none", err)
	}
}

func TestLocalize(t *testing.T) {
	list := []counted{
		{target: &build.Target{Path: "m.test/p", Dir: "/m/p"}},
		{target: &build.Target{Path: "n.test/q", Dir: "/cache/n.test/q@v1", Where: build.ModuleCache}},
	}
	got := string(localize([]byte("mode: set\nm.test/p/p.go:1.2,3.4 1 1\nn.test/q/q.go:1.2,3.4 1 0\nn.test/q/sub/q.go:1.2,3.4 1 0\n"), list))
	const want = "mode: set\nm.test/p/p.go:1.2,3.4 1 1\n/cache/n.test/q@v1/q.go:1.2,3.4 1 0\nn.test/q/sub/q.go:1.2,3.4 1 0\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
