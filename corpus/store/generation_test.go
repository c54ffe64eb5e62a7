package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sorted returns the IDs of entries, as Load orders them.
func sorted(ns ...int) []string {
	var ids []string
	for _, n := range ns {
		ids = append(ids, entryID(n))
	}
	slices.Sort(ids)
	return ids
}

func TestDistill(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1), entry(2), entry(3)); err != nil {
		t.Fatal(err)
	}
	step := func(name string, err error, want []string, generations, aside int) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, problems := loadTest(t, s); !slices.Equal(got, want) || len(problems) > 0 {
			t.Errorf("%s: entries %q, problems %v; want %q", name, got, problems, want)
		}
		st, err := s.Stat()
		if err != nil || st.Entries != len(want) || st.Generations != generations || st.Quarantined != aside {
			t.Errorf("%s: %+v, %v; want %d entries, %d generations, %d in quarantine", name, st, err, len(want), generations, aside)
		}
	}
	step("first", s.Distill([]Entry{entry(4)}, []Departure{{entryID(1), "as entry 4"}, {entryID(2), "as entry 4"}}), sorted(3, 4), 1, 2)
	reason := d.files(testDir)["quarantine/"+entryID(1)+".reason"]
	if want := `"entries/` + entryID(1) + "\": distilled: as entry 4\n"; reason != want {
		t.Errorf("reason %q, want %q", reason, want)
	}
	step("second", s.Distill(nil, []Departure{{entryID(3), "as entry 4"}}), sorted(4), 2, 3)
	_, _, err := s.Undo()
	step("undone", err, sorted(3, 4), 1, 2)
	back, lost, err := s.Undo()
	step("undone twice", err, sorted(1, 2, 3, 4), 0, 0)
	if back != 2 || lost != 0 {
		t.Errorf("%d came back, %d are lost; want 2 and 0", back, lost)
	}
	if _, _, err := s.Undo(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a third time: %v, want %v", err, fs.ErrNotExist)
	}
	// Prune deletes the entries that left by distilling, and nothing else.
	if err := s.Quarantine(Departure{entryID(4), "New is gone"}); err != nil {
		t.Fatal(err)
	}
	step("again", s.Distill(nil, []Departure{{entryID(1), "as entry 3"}}), sorted(2, 3), 1, 2)
	n, err := s.Prune()
	step("pruned", err, sorted(2, 3), 0, 1)
	if n != 1 {
		t.Errorf("Prune deleted %d entries, want 1", n)
	}
	if got, want := slices.Sorted(maps.Keys(d.files(testDir+"/quarantine"))), []string{entryID(4), entryID(4) + ".reason"}; !slices.Equal(got, want) {
		t.Errorf("quarantine %q, want %q", got, want)
	}
	if n, err := s.Prune(); n != 0 || err != nil {
		t.Errorf("Prune again: %d, %v", n, err)
	}
}

// Undo rejects a file that is no generation, and takes no broken file for an
// entry.
func TestUndoBroken(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `1: "", want "foray generation v1"`},
		{"foray generation v1\n../../etc/passwd\n", `1: line 2: "../../etc/passwd" is not an entry`},
		{strings.Repeat("\x00", 40), `want "foray generation v1"`},
	} {
		d := newDisk()
		s := openTest(t, d)
		if err := s.Distill([]Entry{entry(1)}, nil); err != nil {
			t.Fatal(err)
		}
		d.put(testDir+"/generations/1", test.text)
		if _, _, err := s.Undo(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.20q: %v, want %s", test.text, err, test.want)
		}
		if ids, _ := loadTest(t, s); !slices.Equal(ids, sorted(1)) {
			t.Errorf("%.20q: entries %q", test.text, ids)
		}
	}
	// An entry that someone has deleted from quarantine is told as lost; a broken
	// file of the same name is not taken for it.
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1), entry(2)); err != nil {
		t.Fatal(err)
	}
	if err := s.Distill(nil, []Departure{{entryID(1), "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.forget(entryID(1)); err != nil {
		t.Fatal(err)
	}
	d.put(testDir+"/entries/"+entryID(1), "torn")
	loadTest(t, s)
	if back, lost, err := s.Undo(); back != 0 || lost != 1 || err != nil {
		t.Errorf("Undo: %d back, %d lost, %v; want 0 and 1", back, lost, err)
	}
}

// An entry that was damaged in quarantine is named, and keeps no other one there. It is told as
// lost once it is deleted.
func TestUndoDamaged(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1), entry(2), entry(3)); err != nil {
		t.Fatal(err)
	}
	if err := s.Distill(nil, []Departure{{entryID(1), "x"}, {entryID(2), "x"}, {entryID(3), "x"}}); err != nil {
		t.Fatal(err)
	}
	d.put(testDir+"/quarantine/"+entryID(2), "torn")
	if back, _, err := s.Undo(); back != 2 || err == nil || !strings.Contains(err.Error(), "quarantine/"+entryID(2)) {
		t.Errorf("Undo: %d back, %v; want 2, and an error that names the other", back, err)
	}
	if ids, _ := loadTest(t, s); !slices.Equal(ids, sorted(1, 3)) {
		t.Errorf("entries %q, want %q", ids, sorted(1, 3))
	}
	if err := s.forget(entryID(2)); err != nil {
		t.Fatal(err)
	}
	if back, lost, err := s.Undo(); back != 0 || lost != 1 || err != nil {
		t.Errorf("Undo again: %d back, %d lost, %v; want 0 and 1", back, lost, err)
	}
}

func TestRestore(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Quarantine(Departure{entryID(1), `no "New": x`}); err != nil {
		t.Fatal(err)
	}
	d.put(testDir+"/entries/README", "hello\n")
	loadTest(t, s)
	d.put(testDir+"/quarantine/mine", byHand)
	aside, err := s.Quarantined()
	if err != nil {
		t.Fatal(err)
	}
	want := []Aside{
		{Name: entryID(1), File: "entries/" + entryID(1), Reason: `no "New": x`},
		{Name: "README", File: "entries/README", Reason: `line 1: "hello", want "foray corpus v1"`},
		{Name: "mine"},
	}
	slices.SortFunc(want, func(a, b Aside) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(aside, want) {
		t.Fatalf("Quarantined = %+v, want %+v", aside, want)
	}
	for _, a := range aside {
		err := s.Restore(a)
		if a.Name == "README" {
			if err == nil || err.Error() != `corpus: quarantine/README: line 1: "hello", want "foray corpus v1"` {
				t.Errorf("Restore of what is no entry: %v", err)
			}
		} else if err != nil {
			t.Error(err)
		}
	}
	ids, _ := loadTest(t, s)
	if wantIDs := slices.Sorted(slices.Values([]string{entryID(1), ID(byHand)})); len(ids) != 2 || !slices.Contains(ids, entryID(1)) {
		t.Errorf("entries %q, want %q", ids, wantIDs)
	}
	if got := slices.Sorted(maps.Keys(d.files(testDir + "/quarantine"))); !slices.Equal(got, []string{"README", "README.reason"}) {
		t.Errorf("quarantine %q, want README and its reason", got)
	}
}

// A view makes and moves nothing, for any files in the store.
func TestView(t *testing.T) {
	dir := t.TempDir()
	if _, err := View(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v, want %v", err, fs.ErrNotExist)
	}
	_, data, err := encode(entry(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"entries/" + entryID(1): string(data), "entries/mine": byHand, "entries/README": "hello\n", "entries/.tmp-x-1": "half",
		"findings/" + entryID(1) + "/finding.json": "{", "state.json": "{",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := listing(t, dir)
	s, err := View(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.now = nil // nothing is to be swept
	ids, problems := loadTest(t, s)
	if len(ids) != 2 || len(problems) != 1 || problems[0].Moved != "" {
		t.Errorf("loaded %q, problems %v; want two entries and one problem", ids, problems)
	}
	if _, problems, err := s.Findings(); err != nil || len(problems) != 1 || problems[0].Moved != "" {
		t.Errorf("Findings: problems %v, error %v; want one problem", problems, err)
	}
	var state any
	if err := s.LoadState(&state); err == nil {
		t.Error("LoadState of half an object: no error")
	}
	if st, err := s.Stat(); err != nil || st.Entries != 3 || st.Quarantined != 0 || st.Generations != 0 {
		t.Errorf("Stat = %+v, %v", st, err)
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		list = append(list, fmt.Sprint(path, d.Type()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// For any files in generations and quarantine, bringing back the last
// generation loses no former entry, and writes to no other file.
func FuzzUndo(f *testing.F) {
	_, data, err := encode(entry(1))
	if err != nil {
		f.Fatal(err)
	}
	id := entryID(1)
	f.Add("1", generationHeader+"\n"+id+"\n", id, string(data), string(reasonText("entries/"+id, distilled+"x")))
	f.Add("7", generationHeader+"\n"+id+" "+entryID(2), id+".2", string(data), "\"\\x\": distilled: ")
	f.Add("01", "\x00", "x", "y", "z")
	f.Fuzz(func(t *testing.T, number, list, name, text, reason string) {
		for _, n := range []string{number, name} {
			if n == "" || strings.ContainsAny(n, "/\x00") || strings.HasPrefix(n, ".") {
				return
			}
		}
		d := newDisk()
		s := openTest(t, d)
		if err := s.Put(entry(3)); err != nil {
			t.Fatal(err)
		}
		if err := s.mkdir(testDir + "/generations"); err != nil {
			t.Fatal(err)
		}
		d.put(testDir+"/generations/"+number, list)
		d.put(testDir+"/quarantine/"+name, text)
		d.put(testDir+"/quarantine/"+name+reasonSuffix, reason)
		back, _, _ := s.Undo()
		ids, problems := loadTest(t, s)
		if len(problems) > 0 || !slices.Contains(ids, entryID(3)) || len(ids) != 1+back {
			t.Fatalf("%d came back, entries %q, problems %v", back, ids, problems)
		}
		if back == 0 && d.files(testDir)["quarantine/"+name] != text {
			t.Fatalf("%q is lost", text)
		}
		if _, err := s.Stat(); err != nil {
			t.Fatal(err)
		}
	})
}
