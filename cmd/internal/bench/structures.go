package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"foray.test"
	"foray.test/cmd/internal/load"
	"foray.test/coverage/instrument"
	"foray.test/harness/build"
)

// hitsEnv names the file where the tests of a package leave what they found.
const hitsEnv = "FORAY_BENCH_HITS"

// structuresFound is what the tests in testdata/search find: see measure there.
type structuresFound struct {
	Sides, Size                   int
	At, Seconds                   float64
	Candidates, Structures, Calls int64

	all int // sides of the package
}

// searchStructures calls the methods of a container on all structures that its invariant
// allows, by the test of testdata/search, and counts the sides that they take.
func searchStructures(ctx context.Context, root, name string) (f structuresFound, err error) {
	data := filepath.Join(root, "cmd", "internal", "bench", "testdata")
	pkgs, err := load.Load(ctx, load.Config{Dir: filepath.Join(data, "containers"), Patterns: []string{"./" + name}, Env: append(os.Environ(), "GOWORK=off")})
	if err != nil {
		return f, err
	}
	p := pkgs[0]
	res, err := instrument.Rewrite(instrument.Package{
		Path: p.Path, Fset: p.Fset, Files: p.Files, Names: p.GoFiles, Sources: p.Sources, Types: p.Types, Info: p.Info,
	}, build.ProbePath, 0)
	if err != nil {
		return f, err
	}
	dir, err := os.MkdirTemp("", "bench-search-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	files := probedSources(p, res, p.Dir)
	for _, file := range []string{"measure", name} {
		text, err := os.ReadFile(filepath.Join(data, "search", file+".go"))
		if err != nil {
			return f, err
		}
		files[filepath.Join(p.Dir, file+"_search_test.go")] = strings.NewReplacer("package PACKAGE", "package "+p.Name, "PROBE", build.ProbePath).Replace(string(text))
	}
	overlay, err := writeOverlay(dir, files)
	if err != nil {
		return f, err
	}
	mod, found := filepath.Join(dir, "go.mod"), filepath.Join(dir, "found")
	require := fmt.Sprintf("module containers.test\n\ngo 1.26\n\nrequire foray.test v0.0.0\n\nreplace foray.test => %s\n", root)
	if err := os.WriteFile(mod, []byte(require), 0o666); err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-timeout=10m", "-run=^TestSearch$", "-modfile="+mod, "-overlay="+overlay, ".")
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), hitsEnv+"="+found, "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return f, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	f.all = res.Sides
	text, err := os.ReadFile(found)
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// row returns the cells of a run, after its key.
func (f *structuresFound) row() []string {
	return []string{
		count(f.Sides), count(f.all), count(f.Size), count(f.Structures), count(f.Calls), decimal(f.Seconds, 2), decimal(f.At, 3), "0", "sequences", "",
	}
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
