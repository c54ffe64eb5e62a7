package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/text"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// findVersion finds the one package that an argument of diff names: a package at a
// version, a directory, or a git revision. A revision means the package of the
// current directory at that revision.
func findVersion(ctx context.Context, arg string, o *common) (*build.Target, error) {
	c := load.Config{Flags: o.build, Patterns: []string{arg}}
	tree := ""
	switch info, err := os.Stat(arg); {
	case err == nil && info.IsDir():
		c.Dir, c.Patterns = arg, []string{"."}
	case strings.Contains(arg, "@") && !strings.Contains(arg, "@{"):
	default:
		dir, err := o.temps.make()
		if err != nil {
			return nil, err
		}
		prefix, err := checkOut(ctx, arg, dir)
		if err != nil {
			return nil, err
		}
		tree = dir
		c.Dir, c.Patterns = filepath.Join(dir, prefix), []string{"."}
		if _, err := os.Stat(c.Dir); err != nil {
			return nil, &load.Error{Place: arg, Msg: fmt.Sprintf("%s was not there at that revision", filepath.Clean(prefix)), Hint: "run foray diff in the directory of a package that both revisions have"}
		}
	}
	targets, err := load.List(ctx, c)
	if err != nil {
		return nil, named(arg, tree, err)
	}
	if len(targets) != 1 {
		return nil, &load.Error{Place: arg, Msg: text.Plural(len(targets), "package") + ", want one", Hint: "diff compares two versions of one package"}
	}
	return targets[0], nil
}

// named returns an error about the version arg. Its files are in the directory tree if they
// were checked out for this run.
func named(arg, tree string, err error) error {
	if e, ok := errors.AsType[*load.Error](err); ok {
		told := *e
		if tree != "" {
			told.Place = strings.ReplaceAll(told.Place, tree+string(filepath.Separator), arg+":")
			told.Msg = strings.ReplaceAll(told.Msg, tree+string(filepath.Separator), arg+":")
		}
		if !strings.Contains(told.Place, arg) {
			told.Msg, told.Place = told.Error(), arg
		}
		return &told
	}
	return fmt.Errorf("%s: %w", arg, err)
}

// commitOf returns the hash and subject of a git revision, empty for other versions.
func commitOf(ctx context.Context, arg string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() || strings.Contains(arg, "@") && !strings.Contains(arg, "@{") {
		return ""
	}
	line, err := git(ctx, "", "log", "-1", "--format=%h %s", "--end-of-options", arg)
	if err != nil {
		return "" // finding the version says why
	}
	return line
}

// checkOut writes the files of a revision of the repository at hand into the empty directory
// dir. It uses an index of its own, and leaves the user's tree and index alone. It returns the
// path from the root of the repository to the current directory.
func checkOut(ctx context.Context, rev, dir string) (prefix string, err error) {
	const hint = "a version is a package at a version (path@v1.2.3), a directory (./dir) or a git revision"
	if strings.HasPrefix(rev, "-") {
		return "", &load.Error{Place: rev, Msg: "no version", Hint: hint}
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", &load.Error{Place: rev, Msg: "no such directory or git revision", Hint: hint}
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
		line, _, _ := strings.Cut(strings.TrimSpace(msg.String()), "\n")
		return "", fmt.Errorf("git: %w: %s", err, line)
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line, nil
}
