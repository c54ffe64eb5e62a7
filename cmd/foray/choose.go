package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"foray.test/cmd/internal/text"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
)

// A choice is a fuzz target of a package: of its tests, or a function as go-fuzz
// takes them.
type choice struct {
	*common
	pkg    *build.Target
	name   string
	goFuzz []string // all such functions of the package, if it is one of them
}

// goFuzzTag is the build tag that go-fuzz sets.
const goFuzzTag = "gofuzz"

// chooseTarget returns the one target of the one package that the arguments name,
// and where the go command's cache is.
func chooseTarget(ctx context.Context, o *common, expr string) (choice, string, error) {
	list, packages, cache, err := chooseTargets(ctx, o, expr)
	switch {
	case err != nil:
		return choice{}, "", err
	case packages != 1:
		return choice{}, "", &load.Error{Msg: fmt.Sprintf("-fuzz takes one package, not %d", packages), Hint: "name the one that declares the target"}
	case len(list) > 1:
		var names []string
		for _, c := range list {
			names = append(names, c.name)
		}
		return choice{}, "", &load.Error{
			Place: list[0].pkg.Path, Msg: fmt.Sprintf("-fuzz %s matches more than one target: %s", text.Quote(expr), strings.Join(names, ", ")),
			Hint: "such as -fuzz '^" + names[0] + "$'",
		}
	}
	return list[0], cache, nil
}

// chooseTargets returns the targets that -fuzz matches, an expression as go test
// takes it, in the packages that the arguments name. They are targets of the
// packages' tests or, if none matches, go-fuzz functions, with the tag that usually
// guards them. packages is the number of packages.
func chooseTargets(ctx context.Context, o *common, expr string) (list []choice, packages int, cache string, err error) {
	// Behind a slash, go test chooses among inputs. Fuzzing makes new ones all the time.
	expr, _, _ = strings.Cut(expr, "/")
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, 0, "", &load.Error{Place: "-fuzz", Msg: err.Error()}
	}
	found, cache, listErr := findTargets(ctx, o)
	for _, pkg := range found {
		for _, name := range catalog.Targets(testFiles(pkg)) {
			if re.MatchString(name) {
				list = append(list, choice{common: o, pkg: pkg, name: name})
			}
		}
	}
	if len(list) > 0 {
		return list, len(found), cache, listErr
	}
	tagged, err := withTag(ctx, o, goFuzzTag)
	if err != nil {
		return nil, 0, "", err
	}
	guarded, _, taggedErr := findTargets(ctx, tagged)
	for _, pkg := range guarded {
		functions := catalog.GoFuzz(load.ParseFiles(pkg.GoFiles, "func "))
		for _, name := range matchFunctions(functions, re, expr) {
			list = append(list, choice{common: o, pkg: pkg, name: name, goFuzz: functions})
		}
	}
	switch {
	case len(list) > 0:
		return list, len(guarded), cache, taggedErr
	case listErr != nil:
		return nil, 0, "", listErr
	case len(found) != 1:
		return nil, len(found), "", nil
	}
	return nil, 1, "", noTarget(found[0], guarded, expr)
}

// matchFunctions returns the go-fuzz functions that an expression means: the one of
// that name, as go-fuzz takes it, or else those that it matches. Any function that
// takes bytes and returns an int can be named; unnamed it has to begin with Fuzz.
func matchFunctions(functions []string, re *regexp.Regexp, expr string) []string {
	if name := bare(expr); slices.Contains(functions, name) {
		return []string{name}
	}
	return slices.DeleteFunc(slices.Clone(functions), func(name string) bool {
		return !strings.HasPrefix(name, "Fuzz") || !re.MatchString(name)
	})
}

// bare returns the name that an expression may be, without its anchors.
func bare(expr string) string { return strings.TrimSuffix(strings.TrimPrefix(expr, "^"), "$") }

// withTag returns options that set one more build tag.
func withTag(ctx context.Context, o *common, tag string) (*common, error) {
	tagged := *o
	tags, flags := build.CutFlag(o.build, "tags")
	if tags == "" {
		env, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
		if err != nil {
			return nil, &load.Error{Place: "go env GOFLAGS", Msg: err.Error(), Hint: "foray needs the go command in PATH"}
		}
		tags, _ = build.CutFlag(strings.Fields(string(env)), "tags")
	}
	if tags != "" {
		tag = strings.Trim(tags, `'"`) + "," + tag
	}
	tagged.build = append(flags, "-tags="+tag)
	return &tagged, nil
}

// noTarget returns the error of a package without a target that matches expr. tagged
// is the package as go-fuzz sees it, if there is one.
func noTarget(pkg *build.Target, tagged []*build.Target, expr string) error {
	names := catalog.Targets(testFiles(pkg))
	built := slices.Concat(pkg.GoFiles, pkg.TestGoFiles, pkg.XTestGoFiles)
	for _, t := range tagged {
		built = append(built, t.GoFiles...)
		for _, name := range catalog.GoFuzz(load.ParseFiles(t.GoFiles, "func Fuzz")) {
			if strings.HasPrefix(name, "Fuzz") {
				names = append(names, name)
			}
		}
	}
	if f, file := declared(pkg.Dir, bare(expr)); f != nil {
		place := pkg.Path + "." + bare(expr)
		signature := types.ExprString(f.Type)
		switch {
		case !slices.Contains(built, file):
			return &load.Error{Place: place, Msg: "its file, " + filepath.Base(file) + ", is not built", Hint: "-tags sets what the //go:build line of the file asks for"}
		case !strings.HasSuffix(file, "_test.go"):
			return &load.Error{Place: place, Msg: signature + ", want an exported func(data []byte) int, as go-fuzz has them", Hint: "a target of go test is a FuzzXxx(f *testing.F) in a test file"}
		}
		return &load.Error{Place: place, Msg: signature + ", want func FuzzXxx(f *testing.F) in a test file"}
	}
	if len(names) == 0 {
		return &load.Error{Place: pkg.Path, Msg: "no fuzz target: no test file declares a FuzzXxx(f *testing.F), no other a func Fuzz(data []byte) int", Hint: "without -fuzz foray calls the package's own API"}
	}
	return &load.Error{Place: pkg.Path, Msg: fmt.Sprintf("no fuzz target matches %q", expr), Hint: "it has " + strings.Join(names, ", ")}
}

// declared looks for a function in the files of a directory, whether they are built
// or not.
func declared(dir, name string) (f *ast.FuncDecl, file string) {
	list, err := os.ReadDir(dir)
	if err != nil || name == "" {
		return nil, ""
	}
	for _, e := range list {
		file := filepath.Join(dir, e.Name())
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		for _, parsed := range load.ParseFiles([]string{file}, "func "+name) {
			for _, d := range parsed.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == name {
					return fd, file
				}
			}
		}
	}
	return nil, ""
}

// testFiles parses those test files that mention fuzzing.
func testFiles(pkg *build.Target) []*ast.File {
	return load.ParseFiles(slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles), "func Fuzz")
}
