package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/twin"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
	"foray.test/harness/emit"
)

const twinDoc = `Twin writes a test file that enumerates all small values of a struct type for which
its own predicate holds, a method such as RepOK. Neither is changed:

  foray twin Tree ./tree              # writes tree/tree_twin_test.go
  foray twin -pred valid 'Heap[string]'

The file has a function of the type's name, and a test of your own is three lines:

  func TestRemove(t *testing.T) {
      treeCases(4).Test(t, func(v *Tree) error { v.Remove(1); return v.RepOK() })
  }

go test runs it without foray; commit it, and write it anew when the type changes. It has
a copy of the predicate and of what that calls, which chooses the value of a field
when it reads the field. So a predicate that says no after three reads excludes all
values with these three fields at once. Check what is cheap and general first: shape,
then sizes, then keys.

The predicate is a method without parameters, or a function of the type, that returns a
bool or an error. It may be in a test file. It may read fields, elements of slices and
variables of its own, and call what does. Twin names the line of everything else. With
-everything the predicate is left alone: all fields are chosen before it is asked. That
has many more candidates, of which twin tells the number.

A pointer is nil or leads to one of n objects, n being the argument of treeCases. A bool is
false or true, a number 0 to n or a constant of its type, a string one of n+1, a slice
has 0 to n elements. Fields that the predicate never reads keep their zero value. The
fields of the type itself that are functions or interfaces, or have the tag "like", come
from a value that you give to treeCases. A tag says otherwise:

  key  int    ` + "`exhaustive:\"1..n\"`" + `      numbers; also n, n+1 and n-1
  next *node  ` + "`exhaustive:\"nonnil\"`" + `    never nil
  keys []int  ` + "`exhaustive:\"len=0..2\"`" + `  lengths; with numbers: "len=0..2,1..n"
  mark bool   ` + "`exhaustive:\"any\"`" + `       chosen even if the predicate never reads it
  memo *node  ` + "`exhaustive:\"-\"`" + `         not chosen
  opts *opts  ` + "`exhaustive:\"like\"`" + `      not chosen: that of the value that you give

foray fuzz begins with these values, too: for an exported type the file
has a function SmallTree, and workers link the file. So sequences start from values
that no short sequence makes. What foray finds and writes calls SmallTree, too. A type
with fields from a value that a test gives has none: name the value by -like.
-skip '^Small' leaves them out.

The module must require foray.test, which itself requires nothing. docs/exhaustive.md
says what else there is.`

// twinOptions are the options of foray twin.
type twinOptions struct {
	*common
	pred       string
	like       string
	file       string
	everything bool
}

func newTwin(fs *flag.FlagSet, c *common) runner {
	o := &twinOptions{common: c}
	fs.StringVar(&o.pred, "pred", "", "the predicate is the method or function `name` (default: RepOK,\nCheckRep, CheckInvariants … in any case)")
	fs.StringVar(&o.like, "like", "", "take the fields that are not chosen from the value of a Go\n`expression`, such as New(), and not from one that a test gives")
	fs.StringVar(&o.file, "o", "", "write `file`, beside the package (default: type_twin_test.go)")
	fs.BoolVar(&o.everything, "everything", false, "leave the predicate as it is: choose all fields, then ask it")
	return o.run
}

func (o *twinOptions) run(ctx context.Context) (int, error) {
	if len(o.args) < 1 || len(o.args) > 2 || strings.HasPrefix(o.args[0], ".") {
		return exitUsage, &load.Error{Msg: "want a type and a package", Hint: "foray twin Tree ./tree; the default is the package of this directory"}
	}
	typ := o.args[0]
	o.args = append(o.args[1:], ".")[:1]
	targets, err := findTargets(ctx, o.common)
	if err != nil {
		return exitUsage, err
	}
	if len(targets) != 1 {
		return exitUsage, &load.Error{Place: o.args[0], Msg: text.Plural(len(targets), "package") + ", want one"}
	}
	return exitClean, o.one(ctx, targets[0], typ)
}

// one writes the twin of a type of a package.
func (o *twinOptions) one(ctx context.Context, target *build.Target, typ string) error {
	if err := wantOwn(target, "copy it into a module of yours"); err != nil {
		return err
	}
	o.out.Stage("loading " + target.Path)
	defer o.out.Quiet()
	pkg, err := load.One(ctx, target)
	if err != nil {
		return err
	}
	if pkg, err = pkg.WithTests(ctx, twin.Written); err != nil {
		return err
	}
	generate := twin.Generate
	if o.everything {
		generate = twin.Everything
	}
	r, err := generate(twin.Config{Pkg: pkg, Type: typ, Pred: o.pred, Like: o.like})
	var problems twin.Problems
	if errors.As(err, &problems) {
		return o.problems(problems)
	}
	if err != nil {
		return err
	}
	file, err := o.write(target, typ, r.Source)
	if err != nil {
		return err
	}
	o.out.Quiet()
	o.tell(file, r)
	has, err := requires(target)
	if err != nil || has {
		return err
	}
	o.out.Printf("\n%s must require foray.test, which requires nothing. To require it, run in %s:\n\n\t%s",
		o.out.Relative(target.Module.GoMod), o.directoryOf(target.Module.GoMod), itself().Edit(target.Module.GoVersion))
	return nil
}

// problems returns an error for each problem.
func (o *twinOptions) problems(list twin.Problems) error {
	var errs []error
	for _, p := range list {
		errs = append(errs, &load.Error{Place: fmt.Sprintf("%s:%d:%d", o.out.Relative(p.Pos.Filename), p.Pos.Line, p.Pos.Column), Msg: p.Msg, Hint: p.Hint})
	}
	if !o.everything {
		errs = append(errs, &load.Error{Msg: "no twin written", Hint: "-everything chooses all fields and leaves the predicate as it is"})
	}
	return errors.Join(errs...)
}

// write writes the file, and returns its name.
func (o *twinOptions) write(target *build.Target, typ string, source []byte) (string, error) {
	name, _, _ := strings.Cut(typ, "[")
	file := cmp.Or(o.file, strings.Map(unicode.ToLower, name)+"_twin_test.go")
	return writeGenerated(o.common, target, generated{file, twin.Mark, "twin", source})
}

// tell says what the file has.
func (o *twinOptions) tell(file string, r *twin.Result) {
	param, arg := "n", "4"
	if r.Like {
		param, arg = "n, like", "4, like"
	}
	o.out.Printf("wrote %s: %s(%s), every %s of at most n objects of each type for which %s holds", o.out.Relative(file), r.Cases, param, r.Type, r.Pred)
	if o.everything {
		o.out.Printf("  chosen: all fields, before %s reads one: about %.3g candidates of at most %d objects", r.Pred, r.Candidates, twin.EverythingBound)
	} else {
		o.out.Printf("  chosen: %s", strings.Join(r.Chosen, ", "))
	}
	if len(r.Left) > 0 {
		o.out.Printf("  zero: %s, which %s does not read", strings.Join(r.Left, ", "), r.Pred)
	}
	if r.Like {
		o.out.Printf("  like: a value that you give, with the functions that all have; -like 'New(less)' writes that one into the file")
	}
	if r.Small != "" {
		o.out.Printf("  foray fuzz begins with some of them, too, by %s", r.Small)
	}
	o.out.Printf("\n\tfunc TestSmall(t *testing.T) {\n\t\t%s(%s).Test(t, func(v *%s) error { return nil }) // call something\n\t}", r.Cases, arg, r.Type)
}

// A generated is a test file that a command writes beside a package.
type generated struct {
	name    string
	mark    string // it begins with
	command string
	source  []byte
}

// wantOwn returns an error with a hint for a package that is not the user's.
func wantOwn(target *build.Target, hint string) error {
	if target.Own() {
		return nil
	}
	return &load.Error{Place: target.Path, Msg: "a package of the " + target.Where.String() + ", want one of your own", Hint: hint}
}

// writeGenerated writes a file, unless one is there that the command has not written. It
// returns its path.
func writeGenerated(c *common, target *build.Target, g generated) (string, error) {
	if !strings.HasSuffix(g.name, "_test.go") || filepath.Base(g.name) != g.name {
		return "", &load.Error{Place: g.name, Msg: "want the name of a test file, without a directory", Hint: "it is written beside the package: " + g.command + "_test.go"}
	}
	file := filepath.Join(target.Dir, g.name)
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case !strings.HasPrefix(string(old), g.mark):
		return "", &load.Error{Place: c.out.Relative(file), Msg: "is there already, and foray " + g.command + " has not written it", Hint: "name another file"}
	}
	return file, os.WriteFile(file, constrained(target, file, g.source), 0o666)
}

// constrained returns the source of a file of a package with the build constraints of what it names.
func constrained(target *build.Target, file string, source []byte) []byte {
	beside := map[string][]byte{}
	for _, name := range slices.Concat(target.GoFiles, target.TestGoFiles) {
		if src, err := target.ReadFile(name); err == nil && name != file {
			beside[name] = src
		}
	}
	settings := target.Go.Settings
	line := emit.BuildLine(catalog.Constraints(source, beside, [2]string{settings["GOOS"], settings["GOARCH"]}))
	return bytes.Replace(source, []byte("\npackage "), []byte("\n"+line+"package "), 1)
}
