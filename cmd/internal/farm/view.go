package farm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"foray.test/cmd/internal/farm/discover"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
	"foray.test/cmd/internal/farm/work"
)

// Problem is a package, target or object that cannot be used.
type Problem = discover.Problem

// A View is the state of a farm at one moment.
type View struct {
	Owner    Owner            `json:"owner"`
	State    ControlState     `json:"state"`
	Targets  []TargetView     `json:"targets"`
	Findings []ledger.Finding `json:"findings"`
	Problems []Problem        `json:"problems"`
	Poison   []record.Poison  `json:"poison"`
	Runs     int              `json:"runs"`
}

// A TargetView is a target, and what runs say of it.
type TargetView struct {
	record.Target
	Name   string         `json:"name"`
	Known  *ledger.Target `json:"known"` // nil before the first run
	Weight float64        `json:"weight"`
	Open   int            `json:"open_findings"`
}

// Name returns the name of a target as people know it.
func (v *View) Name(id string) string {
	for i := range v.Targets {
		if v.Targets[i].ID() == id {
			return v.Targets[i].Name
		}
	}
	return id
}

// Read reads the state of a farm from its store.
func Read(ctx context.Context, s store.Store) (*View, error) {
	owner, _, err := readOwner(ctx, s)
	if err != nil {
		return nil, err
	}
	l := ledger.New(owner.Epoch)
	problems, err := load(ctx, s, l)
	if err != nil {
		return nil, err
	}
	v, err := viewOf(ctx, s, l)
	if err != nil {
		return nil, err
	}
	v.Owner = owner
	v.Problems = append(v.Problems, problems...)
	return v, nil
}

// CheckWorker reports why a worker cannot work for the farm of a store: it is of another
// version, or has another commit checked out. An empty revision is not known.
func CheckWorker(ctx context.Context, s store.Store, version, revision string) error {
	owner, _, err := readOwner(ctx, s)
	switch {
	case err != nil:
		return err
	case owner.Version != "" && owner.Version != version:
		return &work.VersionError{Worker: version, Farm: owner.Version}
	case owner.Revision != "" && revision != "" && owner.Revision != revision:
		return fmt.Errorf("this worker has commit %.12s checked out, the farm fuzzes %.12s: check that out", revision, owner.Revision)
	}
	return nil
}

// viewOf returns the state of a farm with the runs of a ledger.
func viewOf(ctx context.Context, s store.Store, l *ledger.Ledger) (*View, error) {
	var sil silenced
	var list targetList
	var found bisected
	if _, err := store.ReadManifest(ctx, s, silencedName, &sil); err != nil {
		return nil, err
	}
	if _, err := store.ReadManifest(ctx, s, targetsName, &list); err != nil {
		return nil, err
	}
	if _, err := store.ReadManifest(ctx, s, bisectedName, &found); err != nil {
		return nil, err
	}
	state, err := readState(ctx, s)
	if err != nil {
		return nil, err
	}
	poison, err := readPoison(ctx, s)
	if err != nil {
		return nil, err
	}
	l.Silence(sil.Reasons)
	v := &View{State: state, Findings: l.Findings(), Problems: list.Problems, Poison: poison, Runs: l.Runs()}
	for i := range v.Findings {
		v.Findings[i].Bisection = found.Findings[v.Findings[i].Key]
	}
	open := openErrors(v.Findings)
	for i := range list.Targets {
		t := &list.Targets[i]
		v.Targets = append(v.Targets, TargetView{Target: *t, Name: t.String(), Known: l.Target(t.ID()), Open: open[t.ID()]})
	}
	return v, nil
}

// openErrors counts the findings of tier error that are neither fixed nor silenced, by
// target.
func openErrors(findings []ledger.Finding) map[string]int {
	n := map[string]int{}
	for i := range findings {
		if f := &findings[i]; f.Tier == "error" && f.Open() {
			n[f.Target]++
		}
	}
	return n
}

// readers is how many objects are read at once.
const readers = 16

// load adds the runs of a store that the ledger lacks.
func load(ctx context.Context, s store.Store, l *ledger.Ledger) ([]Problem, error) {
	names, err := s.List(ctx, "runs/")
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var problems []Problem
	var reading errgroup.Group
	reading.SetLimit(readers)
	read := func(name string) error {
		run, err := getRun(ctx, s, name)
		mu.Lock()
		defer mu.Unlock()
		if bad, ok := errors.AsType[*damagedError](err); ok {
			problems = append(problems, Problem{Place: name, Msg: bad.err.Error()})
			return nil
		}
		if err == nil {
			l.Add(run)
		}
		return err
	}
	for _, name := range slices.DeleteFunc(names, l.Has) {
		reading.Go(func() error { return read(name) })
	}
	err = reading.Wait()
	return problems, err
}

// A damagedError is an object with a content that its name does not allow.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return e.err.Error() }

func getRun(ctx context.Context, s store.Store, name string) (*record.Run, error) {
	data, _, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	run, err := record.DecodeRun(name, data)
	if err != nil {
		return nil, &damagedError{err}
	}
	return run, nil
}

// Report returns a report of a finding, nil if there is none.
func Report(ctx context.Context, s store.Store, f *ledger.Finding) (*record.Report, error) {
	if f.Report == "" {
		return nil, nil
	}
	if !strings.HasPrefix(f.Report, "findings/"+f.Target+"/"+f.Key+"/") {
		return nil, fmt.Errorf("finding %s: its report is %s", f.Key, f.Report)
	}
	data, _, err := s.Get(ctx, f.Report)
	if err != nil {
		return nil, err
	}
	return record.DecodeReport(f.Report, data)
}

// readPoison returns the jobs that ended their workers.
func readPoison(ctx context.Context, s store.Store) ([]record.Poison, error) {
	names, err := s.List(ctx, "poison/")
	if err != nil {
		return nil, err
	}
	var list []record.Poison
	for _, name := range names {
		data, _, err := s.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		var p record.Poison
		if err := record.Decode(data, record.MaxReport, &p); err == nil && p.Name() == name {
			list = append(list, p)
		}
	}
	return list, nil
}
