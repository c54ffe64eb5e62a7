package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	foray "foray.test"
	"foray.test/cmd/internal/load"
	"foray.test/coverage"
	"foray.test/coverage/instrument"
	"foray.test/harness/build"
)

// hitsEnv names the file where the tests of a package leave the sides that they took.
const hitsEnv = "FORAY_BENCH_HITS"

// recorder is a test that starts writing down the sides taken and goes on until
// the process ends, because parallel tests run after it.
const recorder = `package %s_test

import (
	"os"
	"testing"
	"time"

	forayProbe %q
)

func TestForayRecord(t *testing.T) {
	file := os.Getenv(%q)
	record := func() {
		os.WriteFile(file+"~", forayProbe.Hits[:], 0o666)
		os.Rename(file+"~", file) // the process may end at any time
	}
	record()
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			record()
		}
	}()
}
`

// ownTests runs the tests of a package, built with foray's instrument. It
// returns the sides that they take, as "id side", and the go command's
// complaint. Failed tests also take sides.
func ownTests(ctx context.Context, pkg string) (taken map[string]bool, problem string, err error) {
	pkgs, err := load.Load(ctx, load.Config{Patterns: []string{pkg}})
	if err != nil {
		return nil, "", err
	}
	p := pkgs[0]
	res, err := instrument.Rewrite(instrument.Package{
		Path: p.Path, Fset: p.Fset, Files: p.Files, Names: p.GoFiles, Sources: p.Sources, Types: p.Types, Info: p.Info,
	}, build.ProbePath, 0)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "bench-tests-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	// The go command lays nothing over the module cache.
	pkgDir := p.Dir
	if p.Where == build.ModuleCache {
		root := filepath.Join(dir, "module")
		if err := os.CopyFS(root, os.DirFS(p.Module.Dir)); err != nil {
			return nil, "", err
		}
		rel, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			return nil, "", err
		}
		pkgDir = filepath.Join(root, rel)
	}
	overlay, err := writeOverlay(dir, probed(p, res, pkgDir))
	if err != nil {
		return nil, "", err
	}
	hits := filepath.Join(dir, "hits")
	cmd := exec.CommandContext(ctx, "go", "test", "-short", "-count=1", "-vet=off", "-timeout=5m", "-overlay="+overlay, ".")
	cmd.Dir = pkgDir
	cmd.Env = append(os.Environ(), hitsEnv+"="+hits, "GOWORK=off")
	if p.Where == build.ModuleCache {
		cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		problem = fmt.Sprintf("%v: %s", err, strings.Join(lines(string(out)), " | "))
	}
	data, err := os.ReadFile(hits)
	if err != nil {
		return nil, problem, nil // no test ran
	}
	return sidesOf(res.Conditions, data), problem, nil
}

// probed returns the files of probedSources, and a test that records which probes were passed.
func probed(p *load.Package, res *instrument.Result, dir string) map[string]string {
	files := probedSources(p, res, dir)
	files[filepath.Join(dir, "zz_foray_record_test.go")] = fmt.Sprintf(recorder, p.Name, build.ProbePath, hitsEnv)
	return files
}

// probedSources returns the files of a package in a directory with probes in them, and the
// package of the probes.
func probedSources(p *load.Package, res *instrument.Result, dir string) map[string]string {
	files := map[string]string{}
	for name, src := range res.Sources {
		files[filepath.Join(dir, filepath.Base(name))] = string(src)
	}
	probe := filepath.Join(p.Go.Root, "src", filepath.FromSlash(build.ProbePath))
	for name, src := range foray.Runtime() {
		if d, base := filepath.Split(name); d == "coverage/probe/" {
			files[filepath.Join(probe, base)] = string(src)
		}
	}
	files[filepath.Join(probe, "size.go")] = fmt.Sprintf("package probe\n\nconst Size = %d\n\nconst Analysis = false\n", res.Sides)
	return files
}

// writeOverlay writes files into dir and returns the overlay file for the go
// command.
func writeOverlay(dir string, files map[string]string) (string, error) {
	replace := map[string]string{}
	for name, text := range files {
		replace[name] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[name], []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o666)
}

// sidesOf names the sides with a hit.
func sidesOf(conds []coverage.Condition, hits []byte) map[string]bool {
	taken := map[string]bool{}
	for i := range conds {
		c := &conds[i]
		for j, name := range c.Sides {
			if hits[c.First+j] != 0 {
				taken[c.ID()+" "+name] = true
			}
		}
	}
	return taken
}

// takenSides returns the sides that the corpus of a package in a directory takes.
func takenSides(ctx context.Context, b *bench, pkg, dir string) (map[string]bool, error) {
	out, err := b.foray.output(ctx, "report", "-json", "-outdir="+dir, pkg)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for line := range bytes.Lines(out) {
		var e struct {
			Event, ID, Side string
			Taken           bool
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if e.Event == "side" && e.Taken {
			taken[e.ID+" "+e.Side] = true
		}
	}
	return taken, nil
}
