package foray_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	foray "foray.test"
)

// rooms lists the packages of this module, what each may import of it, and what
// of the standard library it does without. Imports point down, never up and never
// sideways between techniques; docs/design.md draws them.
var rooms = []struct {
	dir    string
	may    string // of this module; a name covers what lies under it only if it ends in /...
	mayNot string // of the standard library
}{
	// Data, no goroutine; nothing that runs.
	{"engine/seq", "", "os os/exec flag unsafe sync net testing"},
	{"engine/godump", "", "os os/exec flag reflect unsafe sync net testing runtime"},
	{"engine/seq/seqtest", "engine/seq", "os os/exec flag unsafe sync net testing"},
	{"engine/draw", "", "os os/exec flag reflect unsafe sync net testing"},
	{"coverage", "", "os os/exec flag reflect sync net testing"},
	{"coverage/probe", "", "*"},
	{"coverage/instrument", "coverage", "os os/exec flag testing"},
	{"coverage/report", "coverage", "os os/exec flag testing"},
	{"mutators", "engine/seq engine/draw coverage", "os os/exec flag reflect unsafe testing"},
	{"corpus", "engine/seq engine/draw coverage", "os os/exec flag reflect testing"},
	{"corpus/fuzzfile", "", "os os/exec flag reflect unsafe sync net testing"},
	{"corpus/store", "corpus engine/seq", "os/exec flag reflect testing"},
	// The inner loop knows no process, file or flag, and no live value.
	{"engine/predicate", "", "os os/exec flag reflect unsafe sync net testing"},
	{"engine", "engine/predicate engine/seq engine/draw coverage corpus mutators", "os os/exec flag reflect unsafe syscall net testing"},
	// What two versions show differently: data, and how it differs.
	{"engine/difference", "engine engine/seq", "os os/exec flag reflect unsafe sync net testing"},
	// What a regression test asserts of a sequence: data and choice.
	{"engine/regression", "engine engine/seq", "os os/exec flag reflect unsafe sync net testing"},
	{"engine/wire", "engine engine/difference engine/regression engine/seq", "os/exec flag reflect testing"},
	// What runs no code under test: it shares no memory with it but wire's, and only
	// engine/worker starts processes.
	{"engine/confine", "", "os flag reflect testing"},
	{"engine/restrict", "engine engine/seq", "os os/exec flag reflect unsafe sync net testing"},
	{"engine/worker", "engine/confine engine/godump engine/restrict engine/wire engine engine/seq", "flag reflect testing"},
	{"engine/replay", "engine/worker engine/wire engine engine/difference engine/regression engine/seq coverage corpus", "os os/exec flag reflect testing"},
	{"engine/confirm", "engine/replay engine engine/seq", "os os/exec flag reflect testing"},
	{"engine/versions", "engine/restrict engine/replay engine/worker engine/wire engine engine/difference engine/seq engine/draw", "os os/exec flag reflect testing"},
	{"engine/coordinator", "engine/restrict engine/confirm engine/replay engine/worker engine/wire engine engine/seq engine/draw coverage", "os os/exec flag reflect testing"},
	{"engine/puzzles/...", "", ""},
	{"harness/digest", "", "os os/exec flag testing"},
	{"harness/golit", "engine/regression engine/seq", "os os/exec flag unsafe testing"},
	{"harness/observe", "engine/difference", "os os/exec flag unsafe testing"},
	// Properties name the standard library only: emitted tests repeat them.
	{"harness/contract/property", "", "os os/exec flag unsafe net testing"},
	{"harness/naming", "engine/seq", "os os/exec flag reflect unsafe sync net testing"},
	{"harness/blame", "engine engine/godump engine/seq harness/naming", "os os/exec flag unsafe net testing"},
	{"harness/odds", "engine", "os os/exec flag reflect unsafe net testing"},
	{"harness/contract", "engine engine/seq harness/naming harness/blame harness/contract/property", "os os/exec flag testing"},
	// What workers link: no disk but the table, no process but itself.
	{"harness/executor", "engine/wire engine engine/godump engine/difference engine/predicate engine/regression engine/seq coverage coverage/probe harness/blame harness/contract harness/digest harness/golit harness/naming harness/observe", "os os/exec flag net testing"},
	{"harness/process", "engine/wire engine engine/godump engine/difference engine/seq engine/draw coverage coverage/probe harness/executor", "os/exec flag net testing"},
	{"harness/target", "engine/wire engine engine/seq corpus/fuzzfile harness/executor harness/process", "os/exec flag net"},
	// What the tests of a package link that are recorded.
	{"harness/record", "", "os/exec flag net testing"},
	// What a user's test imports.
	{"harness", "engine/wire engine engine/godump engine/seq engine/draw corpus harness/contract harness/executor harness/process", "os/exec net"},
	{"harness/exhaustive", "engine/draw harness/digest", "os os/exec flag syscall net"},
	// What tests of worker processes share.
	{"engine/internal/planted", "", ""},
	{"engine/internal/workertest", "engine engine/seq engine/wire engine/worker engine/internal/planted coverage/probe harness/blame harness/executor harness/process", ""},
	{"harness/impact", "", "os os/exec flag reflect testing"},
	{"harness/catalog", "engine/seq harness/naming corpus/fuzzfile", "os os/exec flag reflect testing"},
	{"harness/emit", "engine engine/difference engine/regression engine/seq", "os os/exec flag reflect testing"},
	{"harness/owned", "", "os/exec flag reflect unsafe net testing"},
	{"harness/build", ". coverage engine/confine engine/seq harness/owned", "flag testing"},
	{".", "", "os os/exec flag testing"},
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath string
	Imports    []string
}

func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	var list []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// covers reports whether dir is pattern or, for a pattern that ends in /..., lies
// under it.
func covers(pattern, dir string) bool {
	if under, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == under || strings.HasPrefix(dir, under+"/")
	}
	return dir == pattern
}

func TestImportDirections(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range goList(t, foray.Module+"/...") {
		if strings.HasPrefix(p.ImportPath, foray.Module+"/cmd/") {
			continue
		}
		dir := dirOf(p.ImportPath)
		i := slices.IndexFunc(rooms, func(r struct{ dir, may, mayNot string }) bool { return covers(r.dir, dir) })
		if i < 0 {
			t.Errorf("%s is in no room: say in rooms what it may import", dir)
			continue
		}
		room := rooms[i]
		seen[room.dir] = true
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp+"/", foray.Module+"/") {
				if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
					t.Errorf("%s imports %s, which is not of the standard library", dir, imp)
				}
				if room.mayNot == "*" && imp != "unsafe" || slices.Contains(strings.Fields(room.mayNot), imp) {
					t.Errorf("%s imports %s, which it is to do without", dir, imp)
				}
				continue
			}
			to := dirOf(imp)
			if !slices.ContainsFunc(strings.Fields(room.may), func(pattern string) bool { return covers(pattern, to) }) {
				t.Errorf("%s imports %s: imports point down, and %q is all it may", dir, to, room.may)
			}
		}
	}
	for _, room := range rooms {
		if !seen[room.dir] {
			t.Errorf("room %s holds no package", room.dir)
		}
	}
}

// dirOf returns the directory of a package of this module.
func dirOf(importPath string) string {
	if importPath == foray.Module {
		return "."
	}
	return strings.TrimPrefix(importPath, foray.Module+"/")
}

// The rooms themselves must not lead up: what each may import stands above it in
// the list, but for the root, which holds the sources and no logic.
func TestRoomsAreOrdered(t *testing.T) {
	at := map[string]int{}
	for i, room := range rooms {
		at[room.dir] = i
	}
	for i, room := range rooms {
		for _, to := range strings.Fields(room.may) {
			if j, ok := at[to]; !ok || j >= i && to != "." {
				t.Errorf("%s may import %s, which is not below it", room.dir, to)
			}
		}
	}
}

// A worker links the harness, a user's test may import it: what it depends on is
// its own module and the standard library, and so it is for the whole root module.
func TestRootModuleRequiresNothing(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
		Replace []any
		Tool    []any
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if mod.Module.Path != foray.Module || len(mod.Require) > 0 || len(mod.Replace) > 0 || len(mod.Tool) > 0 {
		t.Errorf("go.mod = %s; want module %s and nothing that it requires, replaces or runs", out, foray.Module)
	}
	for _, p := range goList(t, "-deps", foray.Module+"/harness") {
		if strings.HasPrefix(p.ImportPath, foray.Module+"/cmd") {
			t.Errorf("the harness depends on %s", p.ImportPath)
		}
	}
}
