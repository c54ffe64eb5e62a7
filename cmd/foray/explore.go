package main

import (
	"context"
	"flag"
	"fmt"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

const exploreDoc = `Explore runs all sequences of at most -depth calls on the exported API of each
package, breadth first, over the -values simplest literals of each parameter:

  foray explore container/list
  foray explore -depth 5 -values 1 -ops 'New|Push|Remove|Len' container/list

Of the sequences that leave equal states only the first is extended. A state is
what can be reached from the values that calls have made, compared by digests.
Package variables are no part of it.

A search that is expected to take more than an hour stops after ten seconds,
and says how long it would take and which -depth would not: see -force.

Each sequence is judged as foray fuzz does. Findings, corpus, output and exit
status are the same. The last line says what was run: all sequences in these
bounds, or how far the search came and what it left out.`

// maxStates bounds -states: a process that takes over gets all states in one message.
const maxStates = 500_000

// Bounds of -depth, -values and -objects.
const (
	maxDepth         = 64
	maxExploreValues = 64
	maxObjects       = 64
)

func newExplore(fs *flag.FlagSet, c *common) runner {
	c.use.mode = usageOff
	o := &fuzzOptions{common: c, seed: seed{given: true}, scope: &engine.Scope{Calls: 3, States: 100_000, Values: 2}}
	numberFlag(fs, &o.scope.Calls, maxDepth, "depth", "run sequences of at most `n` calls (default 3)")
	numberFlag(fs, &o.scope.States, maxStates, "states", "stop at `n` states (default 100000)")
	numberFlag(fs, &o.scope.Values, maxExploreValues, "values", "give each parameter the `n` simplest literals of its type (default 2)")
	numberFlag(fs, &o.scope.Objects, maxObjects, "objects", "let calls take the `n` oldest values of each type only (default: all)")
	fs.Func("abstract", "states are equal if their values are equal, or with `shape` if they\ndiffer in numbers, strings and booleans only: fewer states, and no\nlonger all sequences (default full)", func(s string) error {
		if s != event.Full && s != event.Shape {
			return fmt.Errorf("want %s or %s", event.Full, event.Shape)
		}
		o.scope.Shape = s == event.Shape
		return nil
	})
	numberFlag(fs, &o.parallel, maxNumber, "parallel", "run `n` workers (default: one for each processor); the result is\nthe same with any number")
	fs.Func("fuzztime", "stop after `60s`, shared over the packages (default: no bound)", o.fuzzTime.set)
	fs.BoolVar(&o.force, "force", false, "go on even if that is expected to take more than an hour; so does\n-fuzztime")
	c.operationFlags(fs)
	c.storeFlags(fs)
	c.strictFlag(fs)
	c.likelyFlag(fs)
	formatFlag(fs, &o.format)
	c.verboseFlag(fs, "build steps, how many sequences there may\nbe, counts of all operations")
	return func(ctx context.Context) (int, error) {
		if o.fuzzTime.sequences > 0 {
			return exitUsage, &load.Error{Place: "-fuzztime", Msg: "a number of sequences, want a duration such as 60s", Hint: "-depth and -states bound the search"}
		}
		return o.run(ctx)
	}
}

// uncompiled returns the operations that have no adapter, with the reasons.
func (s *subject) uncompiled() map[seq.OpID]string {
	why := map[seq.OpID]string{}
	for _, d := range s.worker.Dropped {
		why[d.Op] = "does not compile: " + d.Reason
	}
	return why
}

// explore has a run explore within a budget.
func (f *fuzzing) explore(s *subject, c *coordinator.Config, b budget) {
	f.estimate(s)
	c.Explore = f.scope
	if b.duration == 0 && !f.force {
		c.Unasked = event.Unasked
	}
}

// estimate notes how many sequences there would be if no two left equal states.
func (f *fuzzing) estimate(s *subject) {
	n, ok := f.scope.Estimate(s.table, s.pool)
	more := "about"
	if !ok {
		more = "more than"
	}
	f.out.Note(fmt.Sprintf("%s: %s %.3g sequences, if no two left equal states", s.name(), more, n))
}
