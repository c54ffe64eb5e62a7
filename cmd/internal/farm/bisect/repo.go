package bisect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/farm/record"
)

// A Repo is a clone of a repository, with a work tree of its own. It shares the objects of
// the original, and leaves that as it is.
type Repo struct {
	origin string // the original, which is only read
	dir    string // of the work tree
	prefix string // of the module, below it
}

// Clone clones the repository with the module at root into the directory temp, which is
// empty.
func Clone(ctx context.Context, root, temp string) (*Repo, error) {
	top, err := git(ctx, root, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is in no repository of git: %w", root, err)
	}
	prefix, err := git(ctx, root, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	temp, err = filepath.EvalSymlinks(temp)
	if err != nil {
		return nil, err
	}
	if _, err := git(ctx, temp, "clone", "--quiet", "--shared", "--no-checkout", top, "."); err != nil {
		return nil, err
	}
	return &Repo{origin: top, dir: temp, prefix: prefix}, nil
}

// checkout sets the work tree to a commit and returns the directory of the module.
func (r *Repo) checkout(ctx context.Context, commit string) (string, error) {
	if _, err := git(ctx, r.dir, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return "", err
	}
	_, err := git(ctx, r.dir, "clean", "-ffdxq")
	return filepath.Join(r.dir, filepath.FromSlash(r.prefix)), err
}

// Resolve returns the hash of a commit that has a name.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	c, err := r.commit(ctx, name)
	return c.Hash, err
}

// commit returns a commit by its name.
func (r *Repo) commit(ctx context.Context, name string) (record.Commit, error) {
	out, err := git(ctx, r.origin, "show", "--no-patch", "--no-show-signature", "--format=%H%x00%P%x00%cI%x00%an%x00%s", name+"^{commit}", "--")
	if err != nil {
		return record.Commit{}, r.explain(ctx, err)
	}
	f := strings.SplitN(out, "\x00", 5)
	if len(f) < 5 {
		return record.Commit{}, fmt.Errorf("git show %s: %q", name, out)
	}
	at, err := time.Parse(time.RFC3339, f[2])
	return record.Commit{Hash: f[0], Parents: strings.Fields(f[1]), At: at.UTC(), Author: f[3], Subject: f[4]}, err
}

// explain adds to an error that commits may be missing.
func (r *Repo) explain(ctx context.Context, err error) error {
	if out, e := git(ctx, r.origin, "rev-parse", "--is-shallow-repository"); e == nil && out == "true" {
		return fmt.Errorf("%w (the repository is shallow: git fetch --unshallow)", err)
	}
	return err
}

// isAncestor reports whether a is a commit in the past of b.
func (r *Repo) isAncestor(ctx context.Context, a, b string) bool {
	_, err := git(ctx, r.origin, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// firstParents returns a commit and its past on the main line, the newest first.
func (r *Repo) firstParents(ctx context.Context, commit string) ([]string, error) {
	out, err := git(ctx, r.origin, "rev-list", "--first-parent", commit, "--")
	return strings.Fields(out), err
}

// between returns the commits in the past of bad, and bad itself, that are not in the past of
// one of lower. Those come first that divide the others best.
func (r *Repo) between(ctx context.Context, bad string, lower []string) ([]string, error) {
	args := append([]string{"rev-list", "--bisect-all", bad, "--not"}, lower...)
	out, err := git(ctx, r.origin, append(args, "--")...)
	var list []string
	for line := range strings.Lines(out) {
		commit, _, _ := strings.Cut(strings.TrimSpace(line), " ") // (dist=3)
		list = append(list, commit)
	}
	return list, err
}

// local reports whether a variable of the environment tells git of a repository, instead of the
// directory. A hook of git has such variables, and the clone is another repository.
func local(variable string) bool {
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_PREFIX"} {
		if strings.HasPrefix(variable, name+"=") {
			return true
		}
	}
	return false
}

// git runs git in a directory and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, slices.DeleteFunc(os.Environ(), local)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = errors.New(line)
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
