package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/text"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// findVersion finds the one package that an argument of diff names: a package at a
// version, a directory, or a git revision, which stands for the package of the
// current directory as it was then.
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

// named returns err as it is to be told of the version arg, whose files are in the
// directory tree if they were checked out for this run.
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

// checkOut writes the files of a revision of the repository at hand into dir. The
// user's own tree and index stay as they are. It returns the way from the root of
// the repository to the current directory.
func checkOut(ctx context.Context, rev, dir string) (prefix string, err error) {
	const hint = "a version is a package at a version (path@v1.2.3), a directory (./dir) or a git revision"
	if strings.HasPrefix(rev, "-") {
		return "", &load.Error{Place: rev, Msg: "no version", Hint: hint}
	}
	commit, err := git(ctx, "", "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", &load.Error{Place: rev, Msg: "no such directory or git revision", Hint: hint}
	}
	prefix, err = git(ctx, "", "rev-parse", "--show-prefix")
	if err != nil {
		return "", &load.Error{Place: rev, Msg: err.Error()}
	}
	top, err := git(ctx, "", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", &load.Error{Place: rev, Msg: err.Error()}
	}
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=tar", commit)
	cmd.Dir = top
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", &load.Error{Place: rev, Msg: "git archive: " + err.Error()}
	}
	err = untar(out, dir)
	if err != nil {
		_ = cmd.Process.Kill() // it waits to write what no one reads
	}
	if werr := cmd.Wait(); err == nil {
		err = werr
	}
	if err != nil {
		return "", &load.Error{Place: rev, Msg: "git archive: " + err.Error()}
	}
	return filepath.FromSlash(prefix), nil
}

// git runs git and returns its first line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(msg.String()), "\n")
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, line)
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line, nil
}

// untar writes the directories, files and links of an archive below dir.
func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			_, err = io.Copy(io.Discard, r)
			return err
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o777)
		case tar.TypeReg:
			err = writeFile(root, name, tr)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		}
		if err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, r io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
