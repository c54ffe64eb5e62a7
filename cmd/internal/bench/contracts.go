package main

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// goalContracts is the share of their time, in percent, that workers may spend in
// contracts on any package.
const goalContracts = 50

func setupContracts(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 10*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source at `n`")
	return func(ctx context.Context, b *bench) error { return benchContracts(ctx, b, *each, *seed) }
}

// benchContracts measures the share of contracts in the time that workers run
// sequences, including the sequences that minimize findings. Both times are of
// one run, taken by the same clock.
func benchContracts(ctx context.Context, b *bench, each time.Duration, seed uint64) error {
	t, err := b.table("contracts", 1, "package", "sequences", "run_s", "contract_s", "share", "exit", "errors")
	if err != nil {
		return err
	}
	list := b.choose(realPackages)
	for i, pkg := range list {
		if t.done(pkg) {
			continue
		}
		r, err := b.foray.fuzzPackage(ctx, pkg, each, seed)
		if err != nil {
			return err
		}
		s := r.summary
		part := share(s.ContractTime, s.RunSeconds)
		if err := t.put([]string{pkg}, []string{count(r.pkg().Sequences), decimal(s.RunSeconds, 1), decimal(s.ContractTime, 1), part, count(r.exit), r.problem()}); err != nil {
			return err
		}
		b.logf("[%d/%d] %s: %s %% of %.1f s %s", i+1, len(list), pkg, part, s.RunSeconds, r.problem())
	}
	if err := b.complete(t); err != nil {
		return err
	}
	b.summary(contractsSummary(t.records()))
	return nil
}

func contractsSummary(records []record) [][]string {
	over := 0
	for _, r := range records {
		if r.num("share") >= goalContracts {
			over++
		}
	}
	return [][]string{
		{"share of contracts, median of " + count(len(records)) + " packages", decimal(median(column(records, "share")), 1) + "%"},
		{fmt.Sprintf("packages of %d%% or more", goalContracts), count(over)},
	}
}
