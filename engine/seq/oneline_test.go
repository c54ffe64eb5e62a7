package seq

import "testing"

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{`v0 := q.New(2); v0.Put("a; b")`, "v0 := q.New(2)\nv0.Put(\"a; b\")\n", true},
		{"v0 := q.New()\n\n// remark\nv0.N = 3", "v0 := q.New()\nv0.N = 3\n", true},
		{"v0 := func(a int) bool { return a < 0; }", "v0 := func(a int) bool { return a < 0; }\n", true},
		{"hello", "", false},
		{"hello; world()", "", false},
		{"1 + 2", "", false},
		{"if x { y() }", "", false},
		{"}; func _() { x()", "", false},
		{"", "", false},
		{"GET / HTTP/1.1", "", false},
	} {
		if got, ok := Lines(test.text); got != test.want || ok != test.ok {
			t.Errorf("Lines(%q) = %q, %v; want %q, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}
