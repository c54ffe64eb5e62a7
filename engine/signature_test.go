package engine

import (
	"encoding/json"
	"testing"
)

var signatureForms = []struct {
	text string
	want Signature
}{
	{"panic:index:(*T).F", Signature{KindPanic, "index", "", "(*T).F"}},
	{"panic:index:", Signature{KindPanic, "index", "", ""}},
	{"panic:explicit:bad degree:NewWithFreeListG", Signature{KindPanic, ClassExplicit, "bad degree", "NewWithFreeListG"}},
	{"panic:explicit::check<F", Signature{KindPanic, ClassExplicit, "", "check<F"}},
	{"panic:explicit:a b: c:F", Signature{KindPanic, ClassExplicit, "a b: c", "F"}},
	{"panic:runtime:runtime error N:F", Signature{KindPanic, ClassRuntime, "runtime error N", "F"}},
	{"hang:blocked:chan receive:(*Q).Get", Signature{KindHang, ClassBlocked, "chan receive", "(*Q).Get"}},
	{"hang:busy:(*Q[...]).Walk", Signature{KindHang, "busy", "", "(*Q[...]).Walk"}},
	{"fatal:fault:unexpected signal:F", Signature{KindFatal, ClassFault, "unexpected signal", "F"}},
	{"fatal:stack-overflow:F", Signature{KindFatal, "stack-overflow", "", "F"}},
	{"exit:exit:Main", Signature{KindExit, "exit", "", "Main"}},
	{"memory:memory:Grow", Signature{KindMemory, "memory", "", "Grow"}},
	{"contract:size-not-negative:(*List).Len", Signature{KindContract, "size-not-negative", "", "(*List).Len"}},
	{"contract:runtime:(*List).Len", Signature{KindContract, "runtime", "", "(*List).Len"}},
	{"contract:Sorted:struct{ A int \"k:v\" }", Signature{KindContract, "Sorted", "", "struct{ A int \"k:v\" }"}},
	{"race:(*T).Add|(*T).Len", Signature{KindRace, "", "", "(*T).Add|(*T).Len"}},
	{"leak:watch", Signature{KindLeak, "", "", "watch"}},
	{"fail:FuzzParse at parse_test.go:12", Signature{KindFail, "", "", "FuzzParse at parse_test.go:12"}},
	{"no argument", Signature{Where: "no argument"}},
	{"panic:index", Signature{Where: "panic:index"}},
	{"panic:explicit:F", Signature{Where: "panic:explicit:F"}},
	{"crash:index:F", Signature{Where: "crash:index:F"}},
	{"", Signature{}},
}

func TestSignature(t *testing.T) {
	for _, tt := range signatureForms {
		if got := ParseSignature(tt.text); got != tt.want {
			t.Errorf("ParseSignature(%q) = %#v, want %#v", tt.text, got, tt.want)
		}
		if got := tt.want.String(); got != tt.text {
			t.Errorf("%#v.String() = %q, want %q", tt.want, got, tt.text)
		}
		data, err := json.Marshal(map[Signature]Signature{tt.want: tt.want})
		if err != nil {
			t.Fatal(err)
		}
		var got map[Signature]Signature
		if err := json.Unmarshal(data, &got); err != nil || got[tt.want] != tt.want {
			t.Errorf("%s decodes to %#v, %v; want %#v", data, got, err, tt.want)
		}
	}
}

func FuzzParseSignature(f *testing.F) {
	for _, tt := range signatureForms {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := ParseSignature(text)
		if got := s.String(); got != text {
			t.Errorf("ParseSignature(%q).String() = %q", text, got)
		}
		if again := ParseSignature(s.String()); again != s {
			t.Errorf("%q is %#v and then %#v", text, s, again)
		}
	})
}
