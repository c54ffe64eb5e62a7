package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"foray.test/cmd/internal/load"
)

// options are what the flags of all commands say.
type options struct {
	fuzzTime fuzzTime
	parallel int
	seed     uint64
	ops      *regexp.Regexp
	skip     *regexp.Regexp
	outdir   string
	json     bool
	verbose  bool
	build    []string // flags of the go command, passed on
	packages []string
}

// fuzzTime is how long to fuzz: a duration or, as Nx, a number of sequences.
type fuzzTime struct {
	duration  time.Duration
	sequences uint64
}

// String implements [flag.Value].
func (f *fuzzTime) String() string {
	if f.sequences > 0 {
		return fmt.Sprintf("%dx", f.sequences)
	}
	if f.duration > 0 {
		return f.duration.String()
	}
	return ""
}

// Set implements [flag.Value].
func (f *fuzzTime) Set(s string) error {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		v, err := strconv.ParseUint(n, 10, 63)
		if err != nil || v == 0 {
			return fmt.Errorf("want a count above zero before x, such as 5000x")
		}
		*f = fuzzTime{sequences: v}
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("want a duration such as 60s or a number of sequences such as 5000x")
	}
	*f = fuzzTime{duration: d}
	return nil
}

// Flags of the go command that are passed on as they are; see go help build.
var (
	buildBools   = []string{"a", "race", "msan", "asan", "trimpath", "modcacherw", "work", "x", "linkshared"}
	buildStrings = []string{"C", "p", "tags", "mod", "modfile", "overlay", "gcflags", "ldflags", "asmflags", "gccgoflags", "buildmode", "buildvcs", "compiler", "installsuffix", "pkgdir", "pgo", "toolexec"}
)

// regexpValue is a flag that holds a regular expression.
type regexpValue struct{ re **regexp.Regexp }

func (r regexpValue) String() string {
	if r.re == nil || *r.re == nil {
		return ""
	}
	return (*r.re).String()
}

func (r regexpValue) Set(s string) error {
	re, err := regexp.Compile(s)
	*r.re = re
	return err
}

// parseFlags reads the arguments of a command. which names the flags beside the
// common ones that it takes.
func parseFlags(name, doc string, args []string, stderr io.Writer, which string) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("foray "+name, flag.ContinueOnError)
	var usageText strings.Builder
	fs.SetOutput(&usageText)
	fs.StringVar(&o.outdir, "outdir", "", "keep corpus and findings under `dir` instead of the go command's fuzz cache")
	fs.BoolVar(&o.verbose, "v", false, "say more: build steps, excluded operations")
	fs.Var(regexpValue{&o.ops}, "ops", "call only operations that match `regexp`, such as '^New|Put$'")
	fs.Var(regexpValue{&o.skip}, "skip", "never call operations that match `regexp`")
	fs.BoolVar(&o.json, "json", false, "print one JSON object a line")
	if which == "fuzz" {
		fs.Var(&o.fuzzTime, "fuzztime", "fuzz for `60s`, or for 5000x sequences, shared over the packages (default: until nothing new comes, at most 60s)")
		fs.IntVar(&o.parallel, "parallel", 0, "run `n` workers (default: one per processor)")
		fs.Uint64Var(&o.seed, "seed", 0, "start the random source at `n` (default: from the clock)")
	}
	var names []string
	for _, b := range buildBools {
		fs.Bool(b, false, "")
		names = append(names, b)
	}
	for _, s := range buildStrings {
		fs.String(s, "", "")
		names = append(names, s)
	}
	hidden := map[string]bool{}
	for _, n := range names {
		hidden[n] = true
	}
	fs.Usage = func() {}
	err := fs.Parse(args)
	if err == flag.ErrHelp {
		fmt.Fprintf(stderr, "usage: foray %s [flags] packages...\n\n%s\n\nflags:\n", name, doc)
		fs.VisitAll(func(f *flag.Flag) {
			if !hidden[f.Name] {
				arg, text := flag.UnquoteUsage(f)
				fmt.Fprintf(stderr, "  %-16s %s\n", "-"+strings.TrimSpace(f.Name+" "+arg), text)
			}
		})
		fmt.Fprintf(stderr, "  %-16s %s\n", "build flags", "-race, -tags, -mod, -C … as in go help build")
		return nil, err
	}
	if err != nil {
		return nil, &load.Error{Place: "foray " + name, Msg: err.Error(), Hint: "foray " + name + " -h lists the flags"}
	}
	fs.Visit(func(f *flag.Flag) {
		if hidden[f.Name] {
			o.build = append(o.build, "-"+f.Name+"="+f.Value.String())
		}
	})
	if o.packages = fs.Args(); len(o.packages) == 0 {
		o.packages = []string{"."}
	}
	return o, nil
}
