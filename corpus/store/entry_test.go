package store

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	e := Entry{
		Statements: "  v0 := queue.New(2)\r\n\n// a remark\nv0.Put(\"x\")\nv1, v1b := v0.Get()",
		Origin:     "composed",
		Sides:      12,
	}
	id, data, err := encode(e)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/v1")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(string(want), "// seed: 81234\n", "", 1); string(data) != want {
		t.Errorf("encode:\n%s\nwant:\n%s", data, want)
	}
	if want := "7888b0d6ba78b43c13f6942bbf4a17cf"; id != want || ID(e.Statements) != want {
		t.Errorf("ID %s, and %s by ID; want %s", id, ID(e.Statements), want)
	}
}

// testdata holds one file of each version; they stay readable.
func TestDecodeVersions(t *testing.T) {
	want := Entry{
		ID:         "7888b0d6ba78b43c13f6942bbf4a17cf",
		Statements: "v0 := queue.New(2)\nv0.Put(\"x\")\nv1, v1b := v0.Get()\n",
		Origin:     "composed",
		Sides:      12,
	}
	data, err := os.ReadFile("testdata/v1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decode(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decode: %+v, %v; want %+v", got, err, want)
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Entry // without ID
		err        string
	}{
		{"bare", "foray corpus v1\nv0 := q.New()\n", Entry{Statements: "v0 := q.New()\n"}, ""},
		{"no newline at the end", "foray corpus v1\nv0 := q.New()", Entry{Statements: "v0 := q.New()\n"}, ""},
		{"from Windows", "\ufeffforay corpus v1\r\n// origin: me\r\nv0 := q.New()\r\n", Entry{Statements: "v0 := q.New()\n", Origin: "me"}, ""},
		{"odd headers", "foray corpus v1\n//sides: many\n//A: b\n//:\n// free: a: b\n//\nq.F()\n// origin: late\n", Entry{Statements: "q.F()\n"}, ""},
		{"calls", "foray corpus v1\n// call: New func() *Q\n// call: (*Q).Put func(any)\nv0 := q.New()\n", Entry{Statements: "v0 := q.New()\n", Calls: []string{"New func() *Q", "(*Q).Put func(any)"}}, ""},
		{"empty", "", Entry{}, "empty"},
		{"foreign", "hello\n", Entry{}, `line 1: "hello", want "foray corpus v1"`},
		{"stock go test", "go test fuzz v1\nint(1)\n", Entry{}, `line 1: "go test fuzz v1", want "foray corpus v1"`},
		{"newer", "foray corpus v3\nwhatever\x00", Entry{}, "version 3, want at most 1"},
		{"version zero", "foray corpus v0\nq.F()\n", Entry{}, `line 1: "foray corpus v0", want "foray corpus v1"`},
		{"only a header", "foray corpus v1\n// origin: me\n", Entry{}, "no statements"},
		{"zeros", "foray corpus v1\nq.F()\n\x00\x00", Entry{}, "line 3: control character 0x00"},
		{"flipped bit", "foray corpus v1\nq.F(\"\xf8\")\n", Entry{}, "line 2: byte 0xf8 is not UTF-8"},
		{"lone carriage return", "foray corpus v1\nq.F()\rq.G()\n", Entry{}, "line 2: control character 0x0d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := decode([]byte(test.text))
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			test.want.ID = ID(test.want.Statements)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("decode: %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	for _, test := range []struct {
		name, want string
		e          Entry
	}{
		{"nothing", "entry without statements", Entry{Statements: " \n// x\n"}},
		{"call of two lines", `header "call": "a\nb": want one line`, Entry{Statements: "f()", Calls: []string{"a\nb"}}},
		{"two lines", `header "origin": "a\nb": want one line`, Entry{Statements: "f()", Origin: "a\nb"}},
		{"zero byte", "line 2: control character 0x00", Entry{Statements: "f(\x00)"}},
		{"huge", "want at most 1048576", Entry{Statements: strings.Repeat("f()\n", maxEntry/4)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := encode(test.e)
			if err == nil || !strings.HasPrefix(err.Error(), "corpus: entry ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestCheckGo(t *testing.T) {
	for _, text := range []string{
		"v0 := q.New(2)\n",
		"v1, v1b := v0.Get()\nv0.Put(\"x\")\n",
		"v2 := func(a, b int) bool { return a < b }\n",
		"v0.F = int8(3) // why not\n",
		"for range v0.All() { break }\n",
	} {
		if err := checkGo(text); err != nil {
			t.Errorf("checkGo(%q) = %v", text, err)
		}
	}
	for _, text := range []string{
		"v0 := q.New(\n",
		"v0.Put(\"x)\n",
		"} ; func f() {\n",
		"}; type T struct {\n",
		"hello world\n",
		"/* nothing */\n",
	} {
		if err := checkGo("f()\n" + text); err == nil || !strings.HasPrefix(err.Error(), "statement 2: ") {
			t.Errorf("checkGo(%q) = %v, want an error at statement 2", "f()\n"+text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("foray corpus v1\n// origin: composed\n// sides: 12\n// seed: 1\nv0 := queue.New(2)\nv0.Put(\"x\")\n"))
	f.Add([]byte("foray corpus v1\r\n\u00a0// a: b\r\n\u2028f()\t\r\n"))
	f.Add([]byte("foray corpus v3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		if e.Statements != Canonical(e.Statements) || e.ID != ID(e.Statements) {
			t.Fatalf("not canonical: %+v", e)
		}
		id, text, err := encode(e)
		if err != nil {
			if len(data) > maxEntry/2 { // canonical headers may be longer
				return
			}
			t.Fatalf("encode(%+v): %v", e, err)
		}
		again, err := decode(text)
		if err != nil || id != e.ID || !reflect.DeepEqual(again, e) {
			t.Fatalf("decode, encode, decode:\n%+v\n%+v, %v", e, again, err)
		}
	})
}
