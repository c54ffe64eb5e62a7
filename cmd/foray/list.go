package main

import (
	"context"
	"flag"

	"foray.test/cmd/internal/event"
	"foray.test/harness/build"
)

const listDoc = `List shows the operations that fuzz would call, which operations make each type,
the types that no operation makes, and the members that foray excludes, with the
reasons.`

func newList(fs *flag.FlagSet, c *common) runner {
	c.allowFlag(fs)
	c.operationFlags(fs)
	c.jsonFlag(fs)
	c.verboseFlag(fs, "operations that only make values, all makers of a type")
	return c.list
}

func (c *common) list(ctx context.Context) (int, error) {
	return c.eachPackage(ctx, func(target *build.Target) error {
		s := newSubject(target, c)
		c.out.Stage("loading " + target.Path)
		defer c.out.Quiet()
		if _, err := s.find(ctx); err != nil {
			return err
		}
		c.out.Print(&event.Listing{Package: s.name(), Table: s.table, Excluded: s.found.Excluded, Unreachable: s.found.Unreachable})
		return nil
	})
}
