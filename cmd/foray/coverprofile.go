package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/engine/coordinator"
	"foray.test/engine/replay"
	"foray.test/harness/build"
)

// A profile in the form of go test -coverprofile counts statements in blocks, and
// foray counts sides of conditions. Blocks do not follow from sides: a function
// without conditions has no sides, and code after a call may not have run. So the
// corpus and the findings run once more, in a worker that the go command has built
// with its own counters. Its blocks are exactly those of go test. No entry is kept
// for a function without conditions, so some sequences are composed there, too.

// profileSequences bounds the sequences composed where statements are counted. It is
// enough for hundreds of operations to be called, and takes a second at most.
const profileSequences = 20_000

// counted is a package with counted statements.
type counted struct {
	target *build.Target
	dir    string // of the counters
}

// checkProfile fails if there will be no profile to write.
func (o *fuzzOptions) checkProfile() error {
	if o.coverProfile == "" {
		return nil
	}
	if overlay, _ := build.CutFlag(o.build, "overlay"); overlay != "" {
		return &load.Error{Place: "-coverprofile", Msg: "does not go with -overlay: the go command counts statements of the files that are there"}
	}
	f, err := os.OpenFile(o.coverProfile, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return &load.Error{Place: "-coverprofile", Msg: err.Error(), Hint: "it names a file to write"}
	}
	return f.Close()
}

// profile counts the statements of a package that its run came to, if they are to
// be counted.
func (f *fuzzing) profile(ctx context.Context, d *done) error {
	s := d.s
	if f.coverProfile == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // an interrupt ends the search; another one ends this
	built, err := build.Build(ctx, build.Config{
		Target: *s.target, Table: s.table, Cover: true,
		Progress: func(msg string) { f.out.Stage(msg + " to count statements") },
	})
	f.out.Quiet()
	if err != nil {
		return &load.Error{Place: s.target.Path, Msg: "-coverprofile: " + err.Error()}
	}
	dir, err := f.temps.make()
	if err != nil {
		return err
	}
	counters := filepath.Join(dir, "counters")
	if err := os.Mkdir(counters, 0o777); err != nil {
		return err
	}
	spawn := s.spawnWorker(built, dir)
	spawn.Counters = counters
	entries := slices.Concat(d.r.entries, d.r.fresh)
	left, err := coordinator.Cover(ctx, coordinator.Config{
		Config: replay.Config{
			Spawn: spawn, Table: s.table, Pool: s.pool, Sides: 1, JudgeDeath: s.judgeDeath,
		},
		Seed: f.seed.n, Sequences: min(d.res.Counts.Sequences, profileSequences),
		Entries: entries, Known: d.r.seen, Dropped: append(s.dropped(), d.res.Banned...),
	}, slices.Concat(entries, d.r.failing))
	if err != nil {
		return &load.Error{Place: s.target.Path, Msg: "-coverprofile: " + err.Error()}
	}
	if left > 0 {
		f.out.Warn(fmt.Sprintf("%s: %s that end their process are not in the coverage profile", s.target.Path, text.Plural(left, "sequence")), "")
	}
	if built.Around {
		f.out.Warn(s.target.Path+": the worker uses the package itself, and what it runs there is in the coverage profile, too", "")
	}
	f.counted = append(f.counted, counted{s.target, counters})
	return nil
}

// writeProfile writes the profile of all packages with counted statements.
func (f *fuzzing) writeProfile(ctx context.Context) error {
	if len(f.counted) == 0 {
		return nil
	}
	dir, err := f.temps.make()
	if err != nil {
		return err
	}
	defer f.temps.remove(dir)
	var dirs []string
	for _, c := range f.counted {
		dirs = append(dirs, c.dir)
	}
	file := filepath.Join(dir, "profile")
	t := f.counted[0].target
	cmd := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+strings.Join(dirs, ","), "-o="+file)
	cmd.Dir, cmd.Env = t.WorkDir, t.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go tool covdata: %w: %s", err, text.OneLine(string(out), 200))
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(f.coverProfile, localize(data, f.counted), 0o666)
	}
	if err != nil {
		return &load.Error{Place: "-coverprofile", Msg: err.Error()}
	}
	return nil
}

// localize names the files of packages in the module cache by their place. The go
// command finds all others by their import path, and these only from a module that
// requires them.
func localize(profile []byte, list []counted) []byte {
	dirs := map[string]string{}
	for _, c := range list {
		if c.target.Where == build.ModuleCache {
			dirs[c.target.Path] = c.target.Dir
		}
	}
	if len(dirs) == 0 {
		return profile
	}
	var b bytes.Buffer
	for line := range bytes.Lines(profile) {
		i := bytes.LastIndexByte(line, '/')
		if dir := dirs[string(line[:max(i, 0)])]; dir != "" {
			b.WriteString(filepath.ToSlash(dir))
			line = line[i:]
		}
		b.Write(line)
	}
	return b.Bytes()
}
