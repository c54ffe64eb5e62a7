// Package revision finds versions of a package: revisions of its git repository, and versions
// of its module.
package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// May reports whether a name may be a git revision: it is no directory, and no package at a
// version.
func May(name string) bool {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return false
	}
	return !strings.Contains(name, "@") || strings.Contains(name, "@{")
}

// Commit returns the hash and subject of a git revision, empty for other versions.
func Commit(ctx context.Context, arg string) string {
	if !May(arg) {
		return ""
	}
	line, err := git(ctx, "", "log", "-1", "--format=%h %s", "--end-of-options", arg)
	if err != nil {
		return "" // finding the version says why
	}
	return line
}

// CheckOut writes the files of a revision of the repository at hand into the empty directory
// dir. It uses an index of its own, and leaves the user's tree and index alone. It returns the
// path from the root of the repository to the current directory.
func CheckOut(ctx context.Context, rev, dir string) (prefix string, err error) {
	const hint = "a version is a package at a version (path@v1.2.3), a directory (./dir) or a git revision"
	if strings.HasPrefix(rev, "-") {
		return "", &load.Error{Place: rev, Msg: "no version", Hint: hint}
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		msg := "no such directory or git revision"
		if errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "fatal: ") { // of a revision it says nothing
			msg = "no such directory, and " + err.Error()
		}
		return "", &load.Error{Place: rev, Msg: msg, Hint: hint}
	}
	prefix, err = git(ctx, dir, "rev-parse", "--show-prefix")
	top := ""
	if err == nil {
		top, err = git(ctx, dir, "rev-parse", "--show-toplevel")
	}
	if err == nil {
		_, err = git(ctx, dir, "read-tree", commit)
	}
	if err == nil {
		_, err = git(ctx, dir, "-C", top, "checkout-index", "--all", "--ignore-skip-worktree-bits", "--prefix="+filepath.ToSlash(dir)+"/")
	}
	if err == nil {
		err = os.Remove(indexIn(dir))
	}
	if err != nil {
		return "", &load.Error{Place: rev, Msg: err.Error()}
	}
	return filepath.FromSlash(prefix), nil
}

// indexIn returns the name of the index for a checkout into dir.
func indexIn(dir string) string { return filepath.Join(dir, ".foray-index") }

// git runs git with the index of a checkout into dir, and returns its first line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+indexIn(dir))
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		if line, _, _ := strings.Cut(strings.TrimSpace(msg.String()), "\n"); line != "" {
			return "", fmt.Errorf("git: %s", line)
		}
		return "", fmt.Errorf("git: %w", err)
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line, nil
}

// Majorless returns the path of a package without the major version of its module. Versions
// of one package have it in common.
func Majorless(t *build.Target) string {
	if t.Module == nil {
		return t.Path
	}
	prefix, _, _ := module.SplitPathVersion(t.Module.Path)
	return prefix + strings.TrimPrefix(t.Path, t.Module.Path)
}

// AtMajor returns the name of the package of old at the version that arg names, if
// its path differs there. From v2 on, the path of a module has its major version. It
// returns "" if the path is the same, or if arg names another package.
func AtMajor(old *build.Target, arg string) string {
	path, version, ok := strings.Cut(arg, "@")
	if !ok || path != old.Path || old.Module == nil || !semver.IsValid(version) {
		return ""
	}
	prefix, _, ok := module.SplitPathVersion(old.Module.Path)
	if !ok {
		return ""
	}
	major := semver.Major(version)
	switch {
	case strings.HasPrefix(prefix, "gopkg.in/"):
		prefix += "." + major
	case major != "v0" && major != "v1":
		prefix += "/" + major
	}
	if prefix == old.Module.Path {
		return ""
	}
	return prefix + strings.TrimPrefix(path, old.Module.Path) + "@" + version
}
