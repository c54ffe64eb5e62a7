package store

import (
	"bytes"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPutFinding(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	day := func(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }
	f := Finding{
		Signature:     "panic (*Queue).Get: index out of range",
		Tier:          "error",
		Kind:          "panic",
		Operation:     "(*Queue).Get",
		Message:       "index out of range [0] with length 0",
		Statements:    "v0 := queue.New(2)\nv1, v1b := v0.Get()\n",
		Test:          "package queue_test\n\n// <&>\n",
		Steps:         2,
		OriginalSteps: 41,
		Hits:          3,
		First:         day(3),
		Last:          day(4),
	}
	if err := s.PutFinding(f); err != nil {
		t.Fatal(err)
	}
	f.Steps, f.Flaky, f.First, f.Last = 1, true, day(2), day(3)
	if err := s.PutFinding(f); err != nil {
		t.Fatal(err)
	}
	f.First, f.Last = time.Time{}, day(5)
	if err := s.PutFinding(f); err != nil {
		t.Fatal(err)
	}
	if err := s.PutFinding(Finding{Signature: "contract\xff\xff"}); err != nil {
		t.Fatal(err)
	}
	f.First, f.Hits = day(2), 9
	got, problems, err := s.Findings()
	if err != nil || len(problems) > 0 || len(got) != 2 {
		t.Fatalf("Findings: %v, problems %v, error %v; want 2 findings", got, problems, err)
	}
	other := Finding{Signature: "contract\ufffd"}
	if got[0].Signature == other.Signature {
		got[0], got[1] = got[1], got[0]
	}
	if !reflect.DeepEqual(got, []Finding{f, other}) {
		t.Errorf("Findings:\n%+v\nwant:\n%+v", got, []Finding{f, other})
	}
	dir := "findings/" + hash(f.Signature) + "/"
	if text := d.files(testDir)[dir+"foray_test.go.txt"]; text != f.Test {
		t.Errorf("test %q, want %q", text, f.Test)
	}
	f.Test = ""
	if err := s.PutFinding(f); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.files(testDir)[dir+"foray_test.go.txt"]; ok {
		t.Error("the test of a finding without one is still there")
	}
	if err := s.PutFinding(Finding{}); err == nil {
		t.Error("finding without signature: no error")
	}
}

// A finding of another tier and with other calls does not overwrite the one with its
// signature, which may have another cause.
func TestPutFindingOfAnotherTier(t *testing.T) {
	for _, tt := range []struct {
		name  string
		now   Finding
		aside int
	}{
		{"other calls", Finding{Tier: "error", Statements: "b()\n"}, 1},
		{"the same calls", Finding{Tier: "error", Statements: "a()\n"}, 0},
		{"fewer calls", Finding{Tier: "suspect", Statements: "b()\n"}, 0},
	} {
		s := openTest(t, newDisk())
		tt.now.Signature = "s"
		for _, f := range []Finding{{Signature: "s", Tier: "suspect", Statements: "a()\n", Test: "t"}, tt.now} {
			if err := s.PutFinding(f); err != nil {
				t.Fatal(err)
			}
		}
		got, problems, err := s.Findings()
		if err != nil || len(problems) > 0 || len(got) != 1 || got[0].Statements != tt.now.Statements {
			t.Errorf("%s: findings %+v, problems %v, error %v", tt.name, got, problems, err)
		}
		if list, err := s.Quarantined(); err != nil || len(list) != tt.aside {
			t.Errorf("%s: %v in quarantine, error %v, want %d", tt.name, list, err, tt.aside)
		}
	}
}

func TestRetireFinding(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	f := Finding{Signature: "panic:index:Get", Test: "package queue_test\n"}
	for n := range 2 { // it may come back, and be fixed again
		if err := s.PutFinding(f); err != nil {
			t.Fatal(err)
		}
		if err := s.RetireFinding(f.Signature, "it does not fail any more"); err != nil {
			t.Fatal(err)
		}
		got, problems, err := s.Findings()
		if err != nil || len(problems) > 0 || len(got) != 0 {
			t.Errorf("retired %d times: findings %v, problems %v, error %v; want none", n+1, got, problems, err)
		}
	}
	at := "quarantine/finding-" + hash(f.Signature)
	for _, name := range []string{at, at + ".2"} {
		if text := d.files(testDir)[name+"/foray_test.go.txt"]; text != f.Test {
			t.Errorf("%s: test %q, want %q", name, text, f.Test)
		}
		if text := d.files(testDir)[name+".reason"]; !strings.Contains(text, "does not fail") {
			t.Errorf("%s.reason: %q", name, text)
		}
	}
	if err := s.RetireFinding("panic:nil:Put", "gone"); err != nil {
		t.Errorf("retire what is not there: %v", err)
	}
}

func TestFindingsSettles(t *testing.T) {
	name := hash("x")
	for _, test := range []struct {
		name, file, text, problem string
		moved                     bool
	}{
		{"torn", name + "/finding.json", `{"version": 1, "signature": "x`, "unexpected end", true},
		{"zero length", name + "/finding.json", "", "unexpected end", true},
		{"other signature", name + "/finding.json", `{"version": 1, "signature": "y"}`, "the name is not the hash", true},
		{"no version", name + "/finding.json", `{"signature": "x"}`, "version 0, want 1", true},
		{"newer", name + "/finding.json", `{"version": 2}`, "version 2, want at most 1", false},
		{"newer, with other types", name + "/finding.json", `{"signature": ["x"], "version": 2}`, "version 2, want at most 1", false},
		{"a file", name, "hello", "not a directory", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDisk()
			s := openTest(t, d)
			if err := s.mkdir(testDir + "/findings/" + name); err != nil {
				t.Fatal(err)
			}
			d.put(testDir+"/findings/"+test.file, test.text)
			findings, problems, err := s.Findings()
			if err != nil || len(findings) > 0 || len(problems) != 1 || !strings.Contains(problems[0].String(), test.problem) ||
				(problems[0].Moved != "") != test.moved {
				t.Errorf("findings %v, problems %v, error %v; want one problem: %s", findings, problems, err, test.problem)
			}
			if err := s.PutFinding(Finding{Signature: "x"}); err != nil {
				t.Errorf("PutFinding: %v", err)
			}
			if findings, problems, err := s.Findings(); err != nil || len(findings) != 1 || len(problems) > 0 {
				t.Errorf("after PutFinding: findings %v, problems %v, error %v; want one finding", findings, problems, err)
			}
			at := "quarantine/finding-" + test.file
			if got := d.files(testDir)[at]; got != test.text {
				t.Errorf("%s: %q, want %q", at, got, test.text)
			}
		})
	}
}

func TestState(t *testing.T) {
	d := newDisk()
	s := openTest(t, d)
	var got []int
	if err := s.LoadState(&got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadState: %v, want %v", err, fs.ErrNotExist)
	}
	for _, v := range [][]int{{1, 2, 3}, {4}} {
		if err := s.SaveState(v); err != nil {
			t.Fatal(err)
		}
		if err := s.LoadState(&got); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("LoadState: %v, %v; want %v", got, err, v)
		}
	}
	d.put(testDir+"/state.json", "[1, 2")
	if err := s.LoadState(&got); err == nil || !strings.HasSuffix(err.Error(), ": moved to quarantine/state.json") {
		t.Errorf("LoadState of a torn file: %v", err)
	}
	if err := s.LoadState(&got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadState after that: %v, want %v", err, fs.ErrNotExist)
	}
}

// TestFindingDamaged: a change of any byte of a finding is noticed. A finding without a checksum is read as it is.
func TestFindingDamaged(t *testing.T) {
	f := Finding{Signature: "panic:nil:F", Tier: "error", Statements: "v0 := p.F()\n"}
	data, err := encodeFinding(f)
	if err != nil {
		t.Fatal(err)
	}
	name := hash(f.Signature)
	if got, err := decodeFinding(name, data); err != nil || !reflect.DeepEqual(got, f) {
		t.Fatalf("%+v (%v), want %+v", got, err, f)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		got, err := decodeFinding(name, bad)
		if err == nil && !reflect.DeepEqual(got, f) {
			t.Errorf("byte %d, %q: read as %+v", i, data[max(0, i-9):i+1], got)
		}
	}
	// As git checks text out on Windows.
	if got, err := decodeFinding(name, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))); err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("with CRLF: %+v (%v), want %+v", got, err, f)
	}
	before, after, _ := bytes.Cut(data, []byte(sumLine))
	_, rest, _ := bytes.Cut(after, []byte("\n"))
	if got, err := decodeFinding(name, slices.Concat(before, []byte("\n"), rest)); err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("without a checksum: %+v (%v), want %+v", got, err, f)
	}
}
