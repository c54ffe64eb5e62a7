package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEntryHash(t *testing.T) {
	sequence := "foray corpus v1\n// sides: 3\nv0 := list.New()\n"
	a, err := EntryHash(false, []byte(sequence))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := EntryHash(false, []byte(strings.Replace(sequence, "sides: 3", "sides: 9", 1))); err != nil || a != b {
		t.Errorf("%s, %s, %v: comments count", a, b, err)
	}
	if b, err := EntryHash(false, []byte(strings.Replace(sequence, "New()", "New(1)", 1))); err != nil || a == b {
		t.Errorf("%s, %v: statements do not count", b, err)
	}
	input := []byte("go test fuzz v1\nstring(\"((((\")\n")
	if hash, err := EntryHash(true, input); err != nil || len(hash) != 32 {
		t.Errorf("input: %q, %v", hash, err)
	}
	for name, tt := range map[string]struct {
		fuzz bool
		data string
	}{
		"empty":                {false, ""},
		"torn":                 {false, sequence[:20]},
		"input, not sequence":  {false, string(input)},
		"sequence, not input":  {true, sequence},
		"large":                {false, sequence + strings.Repeat("v0.Init()\n", 7000)},
		"large input":          {true, "go test fuzz v1\nstring(\"" + strings.Repeat("x", MaxEntry) + "\")\n"},
		"deep":                 {false, "foray corpus v1\nv0 := " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + "\n"},
		"control characters":   {false, "foray corpus v1\nv0 := \x00\n"},
		"of a later version":   {false, "foray corpus v9\nv0 := 1\n"},
		"input without values": {true, "go test fuzz v1\n"},
	} {
		if hash, err := EntryHash(tt.fuzz, []byte(tt.data)); err == nil {
			t.Errorf("%s: accepted as %s", name, hash)
		}
	}
}

func TestDecodeRun(t *testing.T) {
	r := Run{Job: JobID{1, 2}, Target: "0123456789abcdef", Seen: []Seen{{Signature: "panic:index:F", Message: strings.Repeat("é", maxText)}}, Problem: strings.Repeat("x", maxText)}
	for range 2 * maxSeen {
		r.Fixed = append(r.Fixed, "s")
	}
	r.Trim()
	data, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeRun(r.Name(), data); err != nil || len(got.Fixed) != maxSeen || len(got.Seen) != 1 {
		t.Errorf("what Trim leaves is refused: %v", err)
	}
	change := func(f func(*Run)) string {
		c := r
		c.Seen = slices.Clone(r.Seen)
		f(&c)
		data, _ := json.Marshal(&c)
		return string(data)
	}
	for name, text := range map[string]string{
		"another job":       change(func(r *Run) { r.Job.Seq++ }),
		"another target":    change(func(r *Run) { r.Target = "x" }),
		"no signature":      change(func(r *Run) { r.Seen[0].Signature = "" }),
		"a long message":    change(func(r *Run) { r.Seen[0].Message = strings.Repeat("x", maxText+1) }),
		"too many findings": change(func(r *Run) { r.Fixed = append(r.Fixed, "x") }),
		"no JSON":           "{",
		"two values":        "{}{}",
		"large":             strings.Repeat(" ", maxRun) + "{}",
	} {
		if _, err := DecodeRun(r.Name(), []byte(text)); err == nil || !strings.HasPrefix(err.Error(), r.Name()+": ") {
			t.Errorf("%s: %v; want an error that names the object", name, err)
		}
	}
}

// DecodeRun accepts each run after Trim, with texts of any length and any characters.
func TestTrim(t *testing.T) {
	for name, text := range map[string]string{"long": strings.Repeat("x", 2*maxText), "escaped": strings.Repeat("\x01", 2*maxText)} {
		r := Run{Job: JobID{1, 2}, Target: "0123456789abcdef", Problem: text}
		for i := range maxSeen {
			r.Seen = append(r.Seen, Seen{Signature: fmt.Sprint("panic:index:F", i), Tier: "error", Kind: "panic", Operation: text, Message: text})
			r.Fixed = append(r.Fixed, text)
		}
		r.Seen = append([]Seen{{Signature: text, Tier: "error"}}, r.Seen...)
		r.Trim()
		data, err := Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRun(r.Name(), data)
		if err != nil {
			t.Errorf("%s: %d bytes are refused: %v", name, len(data), err)
			continue
		}
		if len(got.Seen) == 0 || got.Seen[0].Signature != "panic:index:F0" {
			t.Errorf("%s: %d findings, want the first with a signature that is not too long, and more", name, len(got.Seen))
		}
	}
}

func TestDecodeReport(t *testing.T) {
	r := Report{Target: "t", Signature: "s", Test: "package m"}
	data, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	name := r.Name(data)
	if got, err := DecodeReport(name, data); err != nil || got.Test != r.Test {
		t.Errorf("%+v, %v", got, err)
	}
	data[len(data)/2] ^= 1
	if _, err := DecodeReport(name, data); err == nil {
		t.Error("a changed report is accepted")
	}
}

// Names of jobs sort as the jobs do.
func TestJobOrder(t *testing.T) {
	ids := []JobID{{1, 1}, {1, 2}, {1, 10}, {2, 1}, {10, 1}}
	for i := range ids {
		for j := range ids {
			if got := strings.Compare(ids[i].String(), ids[j].String()); got != ids[i].Compare(ids[j]) {
				t.Errorf("%v and %v: names compare as %d", ids[i], ids[j], got)
			}
		}
	}
}

// Decoding ends without panic for any stored bytes, and accepts only the object of that name.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"job":{"epoch":1,"seq":2},"target":"t","seen":[{"signature":"s"}]}`))
	f.Add([]byte("go test fuzz v1\nint(1)\n"))
	f.Add([]byte("foray corpus v1\nv0 := 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := DecodeRun("runs/t/000001.00000002", data); err == nil && r.Name() != "runs/t/000001.00000002" {
			t.Errorf("accepted as %s", r.Name())
		}
		for _, fuzz := range []bool{false, true} {
			if hash, err := EntryHash(fuzz, data); err == nil && (len(hash) != 32 || len(data) > MaxEntry) {
				t.Errorf("accepted %d bytes as %q", len(data), hash)
			}
		}
	})
}
