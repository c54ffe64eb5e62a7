// Package bisect finds the commit that brought a finding. It runs the test of the finding at
// commits between one at which it fails and one at which it passes:
//
//	repo, err := bisect.Clone(ctx, root, temp)
//	s := bisect.Search{Repo: repo, Bad: "HEAD", Try: trial.Try}
//	result, err := s.Run(ctx)
//
// What a commit shows does not change. So a search that was interrupted goes on if Try
// remembers what commits have shown.
package bisect

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"foray.test/cmd/internal/farm/record"
)

// A Search looks for the first commit at which a finding fails.
type Search struct {
	Repo *Repo
	Bad  string // it fails here
	// Good is where it perhaps passes. If that is empty or wrong, the search looks in the past
	// of Bad for a commit at which it passes.
	Good string
	Try  func(ctx context.Context, commit string) (record.Verdict, error)
}

// Run returns what it found. The error is that of Try, or of git.
func (s *Search) Run(ctx context.Context) (*record.Bisection, error) {
	bad, err := s.Repo.commit(ctx, s.Bad)
	if err != nil {
		return nil, err
	}
	verdict, err := s.Try(ctx, bad.Hash)
	if err != nil {
		return nil, err
	}
	if verdict != record.Fails {
		return &record.Bisection{Problem: fmt.Sprintf("at commit %.12s its test %s", bad.Hash, verdict)}, nil
	}
	oldest, good, err := s.bound(ctx, bad.Hash)
	if err != nil {
		return nil, err
	}
	return s.between(ctx, oldest, good)
}

// bound returns the oldest commit that it tried at which the test fails, and one in its past
// at which it passes, "" if there seems to be none. It tries the parents of bad at distances
// of 1, 2, 4, and so on.
func (s *Search) bound(ctx context.Context, bad string) (oldest, good string, err error) {
	if s.Good != "" && s.Repo.isAncestor(ctx, s.Good, bad) {
		if v, err := s.Try(ctx, s.Good); err != nil || v == record.Passes {
			return bad, s.Good, err
		}
	}
	past, err := s.Repo.firstParents(ctx, bad)
	if err != nil {
		return "", "", err
	}
	oldest = bad
	for i := 1; i < len(past); i = min(2*i, max(len(past)-1, i+1)) {
		switch v, err := s.Try(ctx, past[i]); {
		case err != nil || v == record.Passes:
			return oldest, past[i], err
		case v == record.Fails:
			oldest = past[i]
		}
	}
	return oldest, "", nil
}

// between halves the commits between bad and good until none is left. Commits at which the test
// cannot be tried are left out. If there is no good one, they count like one at which it passes:
// it may never have compiled before the finding came.
func (s *Search) between(ctx context.Context, bad, good string) (*record.Bisection, error) {
	var lower, skipped []string
	if good != "" {
		lower = []string{good}
	}
	for {
		list, err := s.Repo.between(ctx, bad, lower)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(c string) bool { return c == bad || slices.Contains(skipped, c) })
		if len(list) == 0 {
			return s.result(ctx, bad, lower, skipped)
		}
		next := list[away(len(skipped), len(list))]
		switch v, err := s.Try(ctx, next); {
		case err != nil:
			return nil, err
		case v == record.Fails:
			bad = next
		case v == record.Passes || good == "":
			lower = append(lower, next)
		default:
			skipped = append(skipped, next)
		}
	}
}

// away returns which of n commits, the best first, is tried after so many that could not be.
// Those near such a commit are often like it, so the numbers jump: 0, 1/2, 1/4, 3/4, …
func away(skipped, n int) int {
	return int(uint64(bits.Reverse32(uint32(skipped))) * uint64(n) >> 32)
}

// result says that the test fails at bad and in none of the commits before it.
func (s *Search) result(ctx context.Context, bad string, lower, skipped []string) (*record.Bisection, error) {
	first, err := s.Repo.commit(ctx, bad)
	if err != nil {
		return nil, err
	}
	b := &record.Bisection{First: first}
	if len(first.Parents) > 0 {
		b.Before = record.Passes
	}
	for _, parent := range first.Parents {
		if !slices.Contains(lower, parent) {
			continue // in the past of one that is
		}
		v, err := s.Try(ctx, parent)
		if err != nil {
			return nil, err
		}
		if v == record.Untestable {
			b.Before = v
		}
	}
	between, err := s.Repo.between(ctx, bad, lower)
	for _, c := range skipped {
		if slices.Contains(between, c) {
			b.Or = append(b.Or, c)
		}
	}
	return b, err
}
