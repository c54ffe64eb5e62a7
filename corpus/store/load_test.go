package store

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func openTest(t testing.TB, d *disk) *Store {
	t.Helper()
	s, err := open(testDir, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loadTest loads and returns the IDs of the entries, ordered.
func loadTest(t testing.TB, s *Store) (ids []string, problems []Problem) {
	t.Helper()
	entries, problems, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids, problems
}

func TestLoadSettles(t *testing.T) {
	one, data, err := encode(entry(1))
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	two := entryID(2)
	for _, test := range []struct {
		name, file, text string
		id               string // of the entry that is loaded; none if empty
		moved, problem   string
	}{
		{"intact", one, whole, one, "", ""},
		{"intact, with remarks", one, strings.Replace(whole, "\nv0.", "\n\n// put\n\tv0.", 1), one, "", ""},
		{"by hand", "my test.txt", whole, one, "entries/" + one, "the name is not the hash"},
		{"by hand, unfinished line", "mine", strings.TrimSpace(whole), one, "entries/" + one, "the name is not the hash"},
		{"edited", two, whole, one, "entries/" + one, "the name is not the hash"},
		{"torn in a line", two, whole[:len(whole)-3], "", "quarantine/" + two, "torn: no newline at the end"},
		{"zero length", one, "", "", "quarantine/" + one, "empty"},
		{"zeros", one, strings.Repeat("\x00", len(whole)), "", "quarantine/" + one, "line 1"},
		{"zeros at the end", one, whole[:60] + strings.Repeat("\x00", 99), "", "quarantine/" + one, "control character"},
		{"flipped parenthesis", one, strings.Replace(whole, "(", "h", 1), "", "quarantine/" + one, "statement 1: "},
		{"foreign", "README", "hello\n", "", "quarantine/README", `line 1: "hello"`},
		{"huge", one, whole + strings.Repeat("\n", maxEntry), "", "quarantine/" + one, "1048675 bytes, want at most 1048576"},
		{"newer", two, "foray corpus v3\nv0\n", "", "", "version 3, want at most 1"},
		{"reason", "x.reason", "?", "", "quarantine/x.reason_", "line 1"},
		{"long name", strings.Repeat("x", 255), "?", "", "quarantine/" + strings.Repeat("x", 60) + "-" + hash(strings.Repeat("x", 255)), "line 1"},
		{"hidden", ".gitkeep", "", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDisk()
			s := openTest(t, d)
			d.put(testDir+"/entries/"+test.file, test.text)
			ids, problems := loadTest(t, s)
			if got := strings.Join(ids, " "); got != test.id {
				t.Errorf("loaded %q, want %q", got, test.id)
			}
			if test.problem == "" {
				if len(problems) > 0 {
					t.Errorf("problems %v, want none", problems)
				}
				return
			}
			if len(problems) != 1 || problems[0].File != "entries/"+test.file || problems[0].Moved != test.moved ||
				!strings.Contains(problems[0].Err.Error(), test.problem) {
				t.Fatalf("problems %v, want one: %q moved to %q", problems, test.problem, test.moved)
			}
			files := d.files(testDir)
			if at := cmpOr(test.moved, "entries/"+test.file); files[at] != test.text {
				t.Errorf("%s: %.80q, want %.80q", at, files[at], test.text)
			}
			if strings.HasPrefix(test.moved, "quarantine/") && !strings.Contains(files[test.moved+".reason"], test.problem) {
				t.Errorf("reason %q, want %q", files[test.moved+".reason"], test.problem)
			}
			again, problems := loadTest(t, s)
			if !slices.Equal(again, ids) || test.moved != "" && len(problems) > 0 {
				t.Errorf("second time: loaded %q, problems %v; want %q and none", again, problems, ids)
			}
		})
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Two entries under each other's names, and a third under a wrong one, that of a
// broken file.
func TestLoadCrossedNames(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	for n, name := range map[int]string{1: entryID(2), 2: entryID(1), 3: "mine"} {
		_, data, err := encode(entry(n))
		if err != nil {
			t.Fatal(err)
		}
		d.put(testDir+"/entries/"+name, string(data))
	}
	d.put(testDir+"/entries/"+entryID(3), "broken")
	want := slices.Sorted(slices.Values([]string{entryID(1), entryID(2), entryID(3)}))
	for range 2 {
		if got, _ := loadTest(t, s); !slices.Equal(got, want) {
			t.Errorf("loaded %q, want %q", got, want)
		}
	}
	if got := slices.Sorted(maps.Keys(d.files(testDir + "/entries"))); !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
}

// An entry that is there twice is loaded once; the copy is kept.
func TestLoadDuplicate(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1)); err != nil {
		t.Fatal(err)
	}
	text := "foray corpus v1\n// mine\n" + entry(1).Statements
	d.put(testDir+"/entries/copy", text)
	ids, problems := loadTest(t, s)
	if !slices.Equal(ids, []string{entryID(1)}) || len(problems) != 1 {
		t.Errorf("loaded %q, problems %v; want one each", ids, problems)
	}
	if got := d.files(testDir)["quarantine/copy"]; got != text {
		t.Errorf("quarantine/copy: %q, want %q", got, text)
	}
}

// Put replaces a broken file that has the name of an entry, and keeps its
// content.
func TestPutOverBroken(t *testing.T) {
	_, other, err := encode(entry(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "half", string(other), "foray corpus v2\nx\n"} {
		d := newDisk()
		s := openTest(t, d)
		d.put(testDir+"/entries/"+entryID(1), text)
		if err := s.Put(entry(1)); err != nil {
			t.Errorf("over %q: %v", text, err)
		}
		if ids, problems := loadTest(t, s); !slices.Contains(ids, entryID(1)) || len(problems) > 0 {
			t.Errorf("over %q: loaded %q, problems %v", text, ids, problems)
		}
		if !slices.Contains(slices.Collect(maps.Values(d.files(testDir))), text) {
			t.Errorf("%q is lost", text)
		}
	}
}

// An entry that is stored stays as it is, byte for byte.
func TestPutTwice(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Put(entry(1), entry(1)); err != nil {
		t.Fatal(err)
	}
	before := d.files(testDir)
	again := entry(1)
	again.Origin = "elsewhere"
	if err := s.Put(again); err != nil {
		t.Fatal(err)
	}
	if after := d.files(testDir); len(before) != 1 || !maps.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

func TestQuarantine(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	if err := s.Quarantine(Departure{entryID(1), "x"}); err != nil || len(d.files(testDir)) > 0 {
		t.Errorf("of nothing: %v, files %v", err, d.files(testDir))
	}
	if err := s.Quarantine(Departure{"../state.json", "x"}); err == nil {
		t.Error("of another file: no error")
	}
	// Again and again, the second time with another header: two files, not three.
	for _, origin := range []string{"a", "b", "a"} {
		e := entry(1)
		e.Origin = origin
		if err := s.Put(e); err != nil {
			t.Fatal(err)
		}
		if err := s.Quarantine(Departure{entryID(1), "no operation queue.New"}); err != nil {
			t.Fatal(err)
		}
	}
	got := slices.Sorted(maps.Keys(d.files(testDir + "/quarantine")))
	want := []string{entryID(1), entryID(1) + ".2", entryID(1) + ".2.reason", entryID(1) + ".reason"}
	if !slices.Equal(got, want) {
		t.Errorf("quarantine %q, want %q", got, want)
	}
	reason := d.files(testDir)["quarantine/"+entryID(1)+".reason"]
	if want := `"entries/` + entryID(1) + "\": no operation queue.New\n"; reason != want {
		t.Errorf("reason %q, want %q", reason, want)
	}
}

// Temporary files are not looked at, and go when they are a day old.
func TestSweep(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	d.put(testDir+"/entries/.tmp-1-1", "half").modTime = now.Add(-25 * time.Hour)
	d.put(testDir+"/entries/.tmp-1-2", "half").modTime = now.Add(-23 * time.Hour)
	d.put(testDir+"/entries/.other", "x").modTime = now.Add(-25 * time.Hour)
	if ids, problems := loadTest(t, s); len(ids) > 0 || len(problems) > 0 {
		t.Errorf("loaded %q, problems %v; want nothing", ids, problems)
	}
	got := slices.Sorted(maps.Keys(d.files(testDir)))
	if want := []string{"entries/.other", "entries/.tmp-1-2"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// Bits flip and files are cut at random: nothing on the disk is lost, and all
// loaded entries are whole.
func TestDamage(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		d := newDisk()
		s := openTest(t, d)
		if err := s.Put(entry(1), entry(2), entry(3)); err != nil {
			t.Fatal(err)
		}
		name := testDir + "/entries/" + entryID(2)
		_, _, n := d.find(name)
		data := slices.Clone(n.data)
		if r.IntN(3) == 0 {
			data = data[:r.IntN(len(data))]
		} else {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		}
		d.put(name, string(data))
		ids, problems := loadTest(t, s)
		if !slices.Contains(ids, entryID(1)) || !slices.Contains(ids, entryID(3)) {
			t.Fatalf("%q: other entries are gone: %q", data, ids)
		}
		if !slices.Contains(ids, entryID(2)) && len(problems) != 1 {
			t.Fatalf("%q: no entry, and problems %v", data, problems)
		}
		if !slices.Contains(slices.Collect(maps.Values(d.files(testDir))), string(data)) {
			t.Fatalf("%q is lost", data)
		}
	}
}

// For any files among the entries, nothing is lost and a second load has no
// problems.
func FuzzLoad(f *testing.F) {
	_, data, err := encode(entry(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(entryID(1), data, entryID(2), []byte(byHand))
	f.Add(entryID(2), data, entryID(1), data)
	f.Add("mine.reason", []byte("x"), "mine", data)
	f.Fuzz(func(t *testing.T, name1 string, data1 []byte, name2 string, data2 []byte) {
		d := newDisk()
		s := openTest(t, d)
		put := map[string]string{name1: string(data1), name2: string(data2)}
		for name, data := range put {
			if name == "" || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, ".") {
				return
			}
			d.put(testDir+"/entries/"+name, data)
		}
		ids, problems := loadTest(t, s)
		left := slices.Collect(maps.Values(d.files(testDir)))
		for _, data := range put {
			if !slices.Contains(left, data) {
				t.Fatalf("%q is lost", data)
			}
		}
		again, after := loadTest(t, s)
		if !slices.Equal(ids, again) {
			t.Fatalf("loaded %q, then %q", ids, again)
		}
		for _, p := range after {
			if p.Moved != "" || !errors.As(p.Err, &newerError{}) {
				t.Fatalf("problems %v, then %v", problems, after)
			}
		}
	})
}
