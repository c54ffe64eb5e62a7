package main

import (
	"context"
	"flag"
	"os"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
	"foray.test/harness/owned"
)

const cleanDoc = `Clean removes the workers that foray has built from the user's cache, and temporary
directories of forays that were killed. Corpus and findings stay.

Without it the cache holds at most 2 GiB of workers, those that were used last, none
of them unused for five days. Each run removes what killed forays left.`

func newClean(_ *flag.FlagSet, c *common) runner {
	return func(context.Context) (int, error) {
		if len(c.args) > 0 {
			return exitUsage, &load.Error{Msg: "foray clean: takes no arguments"}
		}
		owned.Sweep(os.TempDir(), tempPrefix)
		removed, err := build.Clean("", 0)
		if err != nil {
			return exitUsage, err
		}
		c.out.Printf("removed %.1f MB of workers", float64(removed)/1e6)
		return exitClean, nil
	}
}
