package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"foray.test/harness/build"
)

// atVersion reports whether a pattern names a version: a/b@v1.2.3.
func atVersion(pattern string) bool {
	return strings.Contains(pattern, "@") && !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern)
}

// exact matches versions that never come to mean something else.
var exact = regexp.MustCompile(`^v\d+\.\d+\.\d+(-|\+|$)`)

// versioned returns the query for a pattern at a version. The query runs in a
// module made for it, which requires only that version. The module is kept
// under the exact version, so that a second run finds it, and works offline.
func (c *Config) versioned(ctx context.Context, pattern string) (build.Query, error) {
	path, version, _ := strings.Cut(pattern, "@")
	root, err := c.modules()
	if err != nil {
		return build.Query{}, err
	}
	g, err := c.moduleCmd(ctx)
	if err != nil {
		return build.Query{}, newError(pattern, err.Error(), nil)
	}
	q := build.Query{Env: g.env, Patterns: []string{path}}
	q.Flags = withoutFlags(c.Flags, "mod", "modfile", "C")
	if exact.MatchString(version) {
		q.Dir = filepath.Join(root, dirName(path, version))
		if _, err := os.Stat(filepath.Join(q.Dir, "go.mod")); err == nil {
			return q, nil
		}
	}
	q.Dir, err = g.require(ctx, root, path, version)
	if err != nil {
		if ctx.Err() != nil {
			return q, ctx.Err()
		}
		return q, newError(pattern, err.Error(), nil)
	}
	return q, nil
}

// modules returns the directory that holds the modules.
func (c *Config) modules() (string, error) {
	dir := c.Cache
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		dir = filepath.Join(dir, "foray")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "at"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}

// dirName is where the module for path at version is kept.
func dirName(path, version string) string {
	return filepath.FromSlash(strings.ReplaceAll(path, "...", "_all")) + "@" + version
}

// moduleCmd is the go command as it runs in a module of ours: the user's module
// and workspace have no say there.
type moduleCmd struct {
	env       []string
	goVersion string
}

func (c *Config) moduleCmd(ctx context.Context) (moduleCmd, error) {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	g := moduleCmd{env: append(env[:len(env):len(env)], "GOWORK=off")}
	out, err := g.run(ctx, os.TempDir(), "env", "GOVERSION", "GOFLAGS")
	if err != nil {
		return g, err
	}
	version, flagText, _ := strings.Cut(out, "\n")
	g.goVersion = version
	flags := withoutFlags(strings.Fields(flagText), "mod", "modfile", "overlay")
	g.env = append(g.env, "GOFLAGS="+strings.Join(flags, " "))
	return g, nil
}

// require makes a module that requires the module of pkg at version and returns its directory.
func (g moduleCmd) require(ctx context.Context, root, pkg, version string) (string, error) {
	tmp, err := os.MkdirTemp(root, ".get-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	tc := build.Toolchain{Version: g.goVersion}
	gomod := fmt.Sprintf("module foray.test/at\n\ngo %s\n", strings.TrimPrefix(tc.Language(), "go"))
	if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte(gomod), 0o666); err != nil {
		return "", err
	}
	if _, err := g.run(ctx, tmp, "get", pkg+"@"+version); err != nil {
		// Which module a package is of is asked of the network, though the cache may hold it.
		if !exact.MatchString(version) || g.fromCache(ctx, tmp, pkg+"@"+version) != nil {
			return "", err
		}
	}
	out, err := g.run(ctx, tmp, "list", "-e", "-f={{with .Module}}{{.Version}}{{end}}", pkg)
	if err != nil {
		return "", err
	}
	found, _, _ := strings.Cut(out, "\n")
	if found == "" {
		return "", fmt.Errorf("no package at version %s", version)
	}
	dir := filepath.Join(root, dirName(pkg, found))
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr != nil {
			return "", err
		}
	}
	return dir, nil
}

// fromCache runs go get in dir with the module cache alone.
func (g moduleCmd) fromCache(ctx context.Context, dir, query string) error {
	cache, err := g.run(ctx, dir, "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	proxy := url.URL{Scheme: "file", Path: path.Join("/", filepath.ToSlash(cache), "cache/download")}
	g.env = append(g.env[:len(g.env):len(g.env)], "GOPROXY="+proxy.String())
	_, err = g.run(ctx, dir, "get", query)
	return err
}

// run runs the go command; an error has the first line of its messages, with what follows a colon
// at its end.
func (g moduleCmd) run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(g.env[:len(g.env):len(g.env)], "PWD="+dir)
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err := cmd.Run()
	if err == nil {
		return strings.TrimSpace(out.String()), nil
	}
	said, open := "", false
	for line := range strings.Lines(msg.String()) {
		if said != "" && !(open && line[0] == '\t') {
			break
		}
		line = strings.TrimPrefix(strings.TrimSpace(line), "go: ")
		if line != "" && !strings.HasPrefix(line, "downloading ") && !strings.HasPrefix(line, "added ") && !strings.HasPrefix(line, "upgraded ") {
			said, open = said+line+"\n", open || strings.HasSuffix(line, ":")
		}
	}
	if said == "" {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return "", errors.New(said)
}

// withoutFlags returns flags without the named ones.
func withoutFlags(flags []string, names ...string) []string {
	for _, name := range names {
		_, flags = build.CutFlag(flags, name)
	}
	return flags
}
