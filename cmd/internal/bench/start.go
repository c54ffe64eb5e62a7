package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// startPackages are one of the standard library, one of the module cache, one
// that the runtime itself imports, and a larger one of each kind.
var startPackages = []string{"container/list", redBlackTree, "strings", "encoding/json", miekgDNS}

func setupStart(fs *flag.FlagSet) func(context.Context, *bench) error {
	reps := fs.Int("n", 3, "measure each package so `often`")
	return func(ctx context.Context, b *bench) error { return benchStart(ctx, b, *reps) }
}

// benchStart measures the wall time of runs of one sequence:
//
//   - unseen: foray has an empty cache, and the go command's holds only the standard
//     library
//   - cold: foray has an empty cache, the go command's is as it is
//   - warm: again, with the cache left by the cold run
//
// Modules are downloaded beforehand. With an empty cache foray asks for the
// module of a package anew, so the first two include the time of the proxy.
func benchStart(ctx context.Context, b *bench, reps int) error {
	t, err := b.table("start", 2, "package", "rep", "unseen_s", "cold_s", "warm_s", "errors")
	if err != nil {
		return err
	}
	base, err := standardCache(ctx, b)
	if err != nil {
		return err
	}
	for _, pkg := range b.choose(startPackages) {
		fetched := false
		for rep := 1; rep <= reps; rep++ {
			key := []string{pkg, count(rep)}
			if t.done(key...) {
				continue
			}
			if !fetched {
				if _, err := b.once(ctx, pkg); err != nil {
					return err
				}
				fetched = true
			}
			row, err := startRow(ctx, b, pkg, base)
			if err != nil {
				return err
			}
			if err := t.put(key, row); err != nil {
				return err
			}
			b.logf("%s #%d: unseen %s s, cold %s s, warm %s s %s", pkg, rep, row[0], row[1], row[2], row[3])
		}
	}
	return b.finish(startSummary, t)
}

// once runs foray for one sequence.
func (b *bench) once(ctx context.Context, pkg string, env ...string) (*report, error) {
	return b.foray.fuzz(ctx, job{args: []string{"-fuzztime=1x", "-seed=1", pkg}, env: env})
}

func startRow(ctx context.Context, b *bench, pkg, base string) ([]string, error) {
	tmp, err := os.MkdirTemp("", "bench-start-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	goCache, first, second := filepath.Join(tmp, "go"), filepath.Join(tmp, "first"), filepath.Join(tmp, "second")
	if err := copyTree(goCache, base); err != nil {
		return nil, err
	}
	var row []string
	problem := ""
	for _, env := range [][]string{
		{"XDG_CACHE_HOME=" + first, "GOCACHE=" + goCache},
		{"XDG_CACHE_HOME=" + second, "GOCACHE=" + userGoCache(ctx)},
		{"XDG_CACHE_HOME=" + second, "GOCACHE=" + userGoCache(ctx)},
	} {
		r, err := b.once(ctx, pkg, env...)
		if err != nil {
			return nil, err
		}
		row = append(row, decimal(r.wall.Seconds(), 3))
		if problem == "" {
			problem = r.problem()
		}
	}
	return append(row, problem), nil
}

// userGoCache returns the go command's cache directory, which moves with
// XDG_CACHE_HOME unless it is named.
func userGoCache(ctx context.Context) string {
	out, err := goOutput(ctx, "", nil, "env", "GOCACHE")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// standardCache returns a cache of the go command that holds the standard library
// and nothing else. It is built once for each version of Go.
func standardCache(ctx context.Context, b *bench) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "std-"+runtime.Version())
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	b.logf("building the standard library into an empty cache")
	tmp, err := os.MkdirTemp(cache, ".std-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if _, err := goOutput(ctx, cache, []string{"GOCACHE=" + tmp, "GOWORK=off"}, "build", "std"); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, dir)
}

// copyTree copies a cache of the go command. Output files are named by their
// content, so they are linked.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(dest, 0o777)
		}
		if strings.HasSuffix(rel, "-d") && os.Link(path, dest) == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(dest, data, 0o666)
	})
}

// startSummary gives the medians of each package.
func startSummary(records []record) [][]string {
	rows := [][]string{{"package", "unseen s", "cold s", "warm s", "runs"}}
	for _, g := range groups(records, "package") {
		row := []string{g[0].get("package")}
		for _, c := range []string{"unseen_s", "cold_s", "warm_s"} {
			row = append(row, decimal(median(column(g, c)), 2))
		}
		rows = append(rows, append(row, fmt.Sprint(len(g))))
	}
	return rows
}

// groups splits records by the values of columns, in order of first appearance.
func groups(records []record, columns ...string) [][]record {
	at := map[string]int{}
	var list [][]record
	for _, r := range records {
		v := ""
		for _, c := range columns {
			v += r.get(c) + "\t"
		}
		i, ok := at[v]
		if !ok {
			i = len(list)
			at[v] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}
