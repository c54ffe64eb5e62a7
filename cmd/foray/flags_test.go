package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFuzzTime(t *testing.T) {
	for text, want := range map[string]fuzzTime{
		"60s": {duration: time.Minute}, "1m30s": {duration: 90 * time.Second}, "5000x": {sequences: 5000},
		"": {}, "x": {}, "0x": {}, "-1x": {}, "1.5x": {}, "5": {}, "0s": {}, "-1s": {}, "soon": {}, "99999999999999999999x": {},
	} {
		var got fuzzTime
		if err := got.set(text); (err != nil) != (want == fuzzTime{}) || got != want {
			t.Errorf("Set(%q) = %v, got %+v, want %+v", text, err, got, want)
		}
	}
}

// The go command collects the values of per-package flags; of others the last one counts.
func TestBuildFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"-race -tags a", "-race -tags=a"},
		{"-tags a -tags=b,c", "-tags=b,c"},
		{"-race -race=false", "-race=false"},
		{"-gcflags=all=-N -gcflags -l -ldflags=-w -tags=a", "-gcflags=all=-N -gcflags=-l -ldflags=-w -tags=a"},
		{"-asmflags=x -asmflags=y -gccgoflags=x -gccgoflags=y", "-asmflags=x -asmflags=y -gccgoflags=x -gccgoflags=y"},
	} {
		var got []string
		c := &command{name: "list", new: func(_ *flag.FlagSet, c *common) runner {
			return func(context.Context) (int, error) {
				got = c.build
				return exitClean, nil
			}
		}}
		p := &process{stdout: io.Discard, stderr: t.Output(), temps: &temps{}}
		if code := p.runCommand(t.Context(), c, strings.Fields(tt.args)); code != exitClean || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: exit %d, flags %q, want %q", tt.args, code, got, tt.want)
		}
	}
	var stderr bytes.Buffer
	p := &process{stdout: io.Discard, stderr: &stderr, temps: &temps{}}
	if code := p.run(t.Context(), []string{"list", "-race=maybe"}); code != exitUsage || !strings.Contains(stderr.String(), "want true or false") {
		t.Errorf("-race=maybe: exit %d, %s", code, &stderr)
	}
}

// A command that was interrupted says that, whatever it waited for.
func TestSaysInterrupted(t *testing.T) {
	var stderr bytes.Buffer
	c := &command{name: "list", new: func(_ *flag.FlagSet, _ *common) runner {
		return func(ctx context.Context) (int, error) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return exitUsage, fmt.Errorf("store: %w", ctx.Err())
		}
	}}
	p := &process{stdout: io.Discard, stderr: &stderr, temps: &temps{}}
	if code := p.runCommand(t.Context(), c, nil); code != exitUsage || stderr.String() != "foray: interrupted\n" {
		t.Errorf("exit %d, %s", code, &stderr)
	}
}

func TestParseFlags(t *testing.T) {
	for _, tt := range []struct{ args, rest, ops, usage string }{
		{"", "", "", "on"},
		{"a b", "a b", "", "on"},
		{"-ops x a", "a", "x", "on"},
		{"a -ops x b -usage=off", "a b", "x", "off"},
		{"a -- -ops x", "a -ops x", "", "on"},
		{"-- a -ops x", "a -ops x", "", "on"},
		{"a - b", "a - b", "", "on"},
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		ops, usage := fs.String("ops", "", ""), fs.String("usage", "on", "")
		rest, err := parseFlags(fs, strings.Fields(tt.args))
		if err != nil || strings.Join(rest, " ") != tt.rest || *ops != tt.ops || *usage != tt.usage {
			t.Errorf("%s: %q, -ops %q, -usage %q, %v", tt.args, rest, *ops, *usage, err)
		}
	}
}

func TestLeakEnv(t *testing.T) {
	for _, tt := range [][2]string{
		{"A=b", "GOEXPERIMENT=" + leakExperiment},
		{"GOEXPERIMENT=", "GOEXPERIMENT=" + leakExperiment},
		{"GOEXPERIMENT=x,y", "GOEXPERIMENT=x,y," + leakExperiment},
	} {
		got := leakEnv([]string{tt[0]})
		if want := []string{tt[0], tt[1]}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt[0], got, want)
		}
	}
}

// A command has no flag that does nothing there, and says of -outdir what it does.
func TestFlagsDoSomething(t *testing.T) {
	for _, tt := range []struct {
		new             func(*flag.FlagSet, *common) runner
		without, outdir string
	}{
		{newFuzz, "", "keep"}, {newReplay, "", "take"}, {newGen, "", "take"}, {newDiff, "", "take"}, {newList, "unconfined", ""}, {newInit, "unconfined", ""},
		{newExplain, "unconfined", "take"}, {newReport, "unconfined allow", "take"}, {newStat, "unconfined allow", "take"},
		{newShow, "unconfined allow v", "take"},
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		tt.new(fs, &common{})
		for _, name := range strings.Fields(tt.without) {
			if fs.Lookup(name) != nil {
				t.Errorf("-%s is accepted where it does nothing", name)
			}
		}
		if f := fs.Lookup("outdir"); f != nil && !strings.HasPrefix(f.Usage, tt.outdir+" ") {
			t.Errorf("-outdir: %q, want that it %ss", f.Usage, tt.outdir)
		}
	}
}

// Every command and flag has a help text.
func TestHelp(t *testing.T) {
	var check func(name []string, list []command)
	check = func(name []string, list []command) {
		for _, c := range list {
			path := append(slices.Clone(name), c.name)
			var stdout bytes.Buffer
			p := &process{stdout: &stdout, stderr: t.Output(), temps: &temps{}}
			if code := p.run(t.Context(), append(slices.Clone(path), "-h")); code != exitClean || !strings.Contains(stdout.String(), c.doc) {
				t.Errorf("%q: exit %d, %s", path, code, &stdout)
			}
			if c.sub != nil {
				check(path, c.sub)
				continue
			}
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			c.new(fs, &common{})
			fs.VisitAll(func(f *flag.Flag) {
				if f.Usage == "" {
					t.Errorf("%q: -%s has no help text", path, f.Name)
				}
			})
		}
	}
	check(nil, commands())
}
