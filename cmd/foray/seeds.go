package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/usage"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// The values of -usage.
const (
	usageOn  = "on"
	usageOff = "off"
)

func usageFlag(fs *flag.FlagSet, mode *string) {
	fs.StringVar(mode, "usage", usageOn, "take up the calls of the package's own tests and examples: `on`\nor off")
}

func (c *common) usageOfFlag(fs *flag.FlagSet) {
	fs.Func("usage-of", "take up the calls that these `packages`, separated by commas, make of the\npackage, too; those of its own module always count", func(s string) error {
		c.use.of = append(c.use.of, strings.Split(s, ",")...)
		return nil
	})
}

func checkUsage(mode string) error {
	if mode != usageOn && mode != usageOff {
		return &load.Error{Place: "-usage", Msg: fmt.Sprintf("%q, want on or off", mode)}
	}
	return nil
}

// readUsage begins to read the tests of the package and its users, beside the build.
func (s *subject) readUsage(ctx context.Context, pkg *load.Package) {
	table, tests := s.table, s.checked
	s.usage = sync.OnceValue(func() *usage.Usage {
		if tests == nil {
			tests = pkg.CheckTests(ctx)
		}
		users, problems := pkg.CheckUsers(ctx, s.use.of)
		for _, p := range problems {
			if slices.Contains(s.use.of, p.Path) {
				s.out.Warn("-usage-of "+p.Path+": "+text.OneLine(p.Msg, 200), "")
			}
		}
		u := usage.Read(pkg, tests, users, table)
		if pkg.ReadsOwnModule() {
			u.Profile.Users = append(u.Profile.Users, pkg.Module.Path+"/...")
		}
		return u
	})
	go s.usage()
}

// seeds returns the sequences that the package's tests have in their source.
func (s *subject) seeds() []seq.Sequence {
	if s.found.Usage == nil {
		return nil
	}
	return s.parse(s.found.Usage.Sequences)
}

// parse returns the sequences of texts that the worker can run.
func (s *subject) parse(texts []string) (list []seq.Sequence) {
	parser, err := seq.NewParser(s.table)
	if err != nil {
		return nil // the table has no text: nor has it a corpus, which reports the error
	}
	dropped := s.dropped()
	for _, statements := range texts {
		steps, err := parser.Parse(statements)
		if err == nil && !slices.ContainsFunc(steps, func(st seq.Step) bool { return slices.Contains(dropped, st.Op) }) {
			list = append(list, steps)
		}
	}
	return list
}

// seenOf returns the literals that tests use.
func seenOf(u *usage.Usage) (list []wire.Seen) {
	if u != nil {
		for _, l := range u.Literals {
			list = append(list, wire.Seen{Op: l.Op, Param: l.Param, Texts: l.Texts})
		}
	}
	return list
}

// noteUsage tells what the tests of the package gave.
func (r *recorder) noteUsage() {
	u := r.s.found.Usage
	switch {
	case r.f.use.mode == usageOff:
	case u == nil || u.Functions+u.Users == 0:
		r.Note(r.s.target.Path + ": usage: no test, example or fuzz target")
	default:
		readers := text.Plural(u.Functions, "test")
		if u.Users > 0 {
			readers += " and " + text.Plural(u.Users, "function") + " of other packages"
		}
		r.Note(fmt.Sprintf("%s: usage: %s of %s give %s; %d cannot be written; %s kept", r.s.target.Path, text.Plural(u.Places, "call"),
			readers, text.Plural(len(u.Sequences), "sequence"), u.Dropped, text.Plural(r.sown, "entry")))
	}
}
