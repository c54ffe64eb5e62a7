package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

const corpusDoc = `The corpus of a package is what earlier runs have learned of it: entries, which
are short sequences of calls, and findings. It lies in the fuzz cache of the go
command, or under -outdir, one file for each entry, and all of it can be read.

  foray corpus stat ./...
  foray corpus distill container/list

Nothing that was stored is deleted but by distill -prune: what leaves the corpus
goes to quarantine, with the reason.`

func corpusCommands() []command {
	return []command{
		{name: "stat", args: "[flags] packages...", short: "count what there is", doc: statDoc, flags: statFlags, run: runStat},
		{name: "show", args: "[flags] FILE|HASH...", short: "print entries as Go", doc: showDoc, flags: showFlags, run: runShow, files: true},
		{name: "add", args: "[flags] FILE...", short: "add entries written by hand", doc: addDoc, flags: packageFlags, run: runAdd, files: true},
		{name: "distill", args: "[flags] packages...", short: "keep no more than it takes", doc: distillDoc, flags: distillFlags, run: runDistill},
		{name: "merge", args: "[flags] DIR...", short: "take what other corpora have more", doc: mergeDoc, flags: packageFlags, run: runMerge, files: true},
		{name: "move", args: "[flags] OLD NEW", short: "follow a package to another path", doc: moveDoc, flags: moveFlags, run: runMove, files: true},
		{name: "import", args: "[flags] DIR...", short: "take raw inputs for a fuzz target", doc: importDoc, flags: importFlags, run: runImport, files: true},
		{name: "export", args: "[flags] DIR", short: "write raw inputs of a fuzz target", doc: exportDoc, flags: exportFlags, run: runExport, files: true},
	}
}

func corpusFlags(fs *flag.FlagSet, o *options) {
	storeFlags(fs, o)
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, what becomes of each entry")
}

func packageFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.pkg, "pkg", ".", "the `package` whose corpus it is about")
	corpusFlags(fs, o)
}

// corpusOf makes the package that -pkg or a pattern names ready, and opens its store.
func corpusOf(ctx context.Context, o *options, out *output) (*subject, error) {
	targets, cache, err := findTargets(ctx, o, out)
	if err != nil {
		return nil, err
	}
	if len(targets) != 1 {
		return nil, &load.Error{Place: strings.Join(o.patterns(), " "), Msg: fmt.Sprintf("%d packages, want one", len(targets)), Hint: "-pkg names it"}
	}
	return openCorpus(ctx, targets[0], o, out, cache)
}

func openCorpus(ctx context.Context, target *build.Target, o *options, out *output, cache string) (*subject, error) {
	defer out.quiet()
	s, err := prepare(ctx, target, o, out)
	if err != nil {
		return nil, err
	}
	return s, s.openStore(o, cache)
}

// eachPackage does f for each package that the arguments name, and returns the
// exit code.
func eachPackage(ctx context.Context, o *options, out *output, f func(target *build.Target, cache string) error) (int, error) {
	targets, cache, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs := out.errors(listErr)
	for _, target := range targets {
		err := f(target, cache)
		if ctx.Err() != nil {
			errs += out.errors(errors.New("interrupted"))
			break
		}
		errs += out.errors(err)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// wants returns an error unless there are as many arguments as a command takes.
func (o *options) wants(least, most int, what string) error {
	if n := len(o.args); n < least || n > most {
		return &load.Error{Msg: fmt.Sprintf("%s, want %s", plural(n, "argument"), what), Hint: "-h shows an example"}
	}
	return nil
}
