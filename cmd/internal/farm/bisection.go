package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"foray.test/cmd/internal/farm/bisect"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// bisected are the commits that brought findings, by key.
type bisected struct {
	Findings map[string]*record.Bisection `json:"findings"`
}

// A Bisector finds the commits that brought findings. What it has tried is in the store.
type Bisector struct {
	Store     store.Store
	Repo      *bisect.Repo
	Flags     []string // of the go command
	Temp      string   // a directory for binaries
	Good, Bad string   // hashes; empty: what the store knows
	Log       func(format string, args ...any)

	untried map[string]error // of the present finding: commits that could not be tried for reasons that may pass
}

// How often a test must pass until it counts as passing. What fails now and then needs more:
// of ten runs of a test that fails in three of ten, all pass once in 35 times.
const (
	triesSure  = 3
	triesFlaky = 10
)

// Due reports whether a finding is worth bisecting: somebody wants to hear of it, and it has
// not been bisected since its state changed.
func Due(f *ledger.Finding) bool {
	return f.Tier != "suspect" && f.Open() && (f.Bisection == nil || f.Bisection.Changes != len(f.Changes))
}

// Finding finds the commit that brought a finding, and stores it.
func (b *Bisector) Finding(ctx context.Context, v *View, f *ledger.Finding) (*record.Bisection, error) {
	report, err := Report(ctx, b.Store, f)
	if err != nil {
		return nil, err
	}
	t := &bisect.Trial{Repo: b.Repo, Report: report, Flags: b.Flags, Temp: b.Temp, Runs: triesSure}
	if f.Flaky {
		t.Runs = triesFlaky
	}
	for i := range v.Targets {
		if target := &v.Targets[i]; target.ID() == f.Target {
			t.Dir, t.Fuzz = target.Dir, target.Fuzz
		}
	}
	if err := t.Usable(); err != nil {
		return nil, fmt.Errorf("%s: cannot be bisected: %w", f.Signature, err)
	}
	b.untried = map[string]error{}
	search := bisect.Search{Repo: b.Repo, Bad: cmp.Or(b.commit(ctx, b.Bad, f.Bad), "HEAD"), Good: b.commit(ctx, b.Good, f.Good)}
	search.Try = func(ctx context.Context, commit string) (record.Verdict, error) { return b.try(ctx, t, f, commit) }
	found, err := search.Run(ctx)
	if err != nil {
		return nil, err
	}
	if found.Problem != "" && len(b.untried) > 0 {
		for _, err := range b.untried {
			return nil, err
		}
	}
	found.Changes = len(f.Changes)
	return found, update(ctx, b.Store, bisectedName, func(m *bisected) error {
		if m.Findings == nil {
			m.Findings = map[string]*record.Bisection{}
		}
		m.Findings[f.Key] = found
		return nil
	})
}

// commit returns the commit that the user has named, or else the one that the store names if
// it is still in the repository.
func (b *Bisector) commit(ctx context.Context, named, known string) string {
	if named != "" || known == "" {
		return named
	}
	hash, _ := b.Repo.Resolve(ctx, known)
	return hash
}

// try returns what the test of a finding shows at a commit: as it is stored, or else by
// running it.
func (b *Bisector) try(ctx context.Context, t *bisect.Trial, f *ledger.Finding, commit string) (record.Verdict, error) {
	if b.untried[commit] != nil {
		return record.Untestable, nil
	}
	was := record.Tried{Target: f.Target, Finding: f.Key, Commit: commit}
	name := was.Name()
	data, _, err := b.Store.Get(ctx, name)
	if err == nil {
		if err := record.Decode(data, record.MaxReport, &was); err == nil && was.Name() == name {
			return was.Verdict, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	tried, err := t.Try(ctx, commit)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		b.Log("commit %.12s: %v", commit, err)
		b.untried[commit] = err
		return record.Untestable, nil
	}
	tried.Target, tried.Finding = f.Target, f.Key
	b.Log("commit %.12s: its test %s", commit, strings.TrimSuffix(string(tried.Verdict)+": "+tried.Problem, ": "))
	data, err = record.Encode(tried)
	if err == nil {
		_, err = b.Store.Put(ctx, name, data)
	}
	return tried.Verdict, err
}
