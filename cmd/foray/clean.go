package main

import (
	"context"
	"flag"
	"os"

	"foray.test/harness/build"
	"foray.test/harness/owned"
)

const cleanDoc = `Clean removes the workers that foray has built from the user's cache, the modules that
it has copied to build them, and temporary directories of forays that were killed.
Corpus and findings stay.

Without it the cache holds at most 2 GiB of workers and modules, those that were used
last, none of them unused for five days. Each run removes what killed forays left.`

func newClean(_ *flag.FlagSet, c *common) runner {
	return func(context.Context) (int, error) {
		owned.Sweep(os.TempDir(), tempPrefix)
		removed, err := build.Clean("", 0)
		if err != nil {
			return exitUsage, err
		}
		c.out.Printf("removed %.1f MB of workers and copied modules", float64(removed)/1e6)
		return exitClean, nil
	}
}
