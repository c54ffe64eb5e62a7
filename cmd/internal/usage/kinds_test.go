package usage

import "testing"

func TestKinds(t *testing.T) {
	u, table := read(t, `
func TestUse(t *testing.T) {
	q := New(3)
	q.Put("a")
	q.Len()
	func() {
		defer func() { recover() }()
		q.Must()
	}()
	if recover() == nil {
		t.Fatal("no panic")
	}
}`, "")
	p := u.Kinds(table)
	for _, tt := range []struct {
		steps string
		want  Use
	}{
		{"v0 := queue.New(7)", Alike},
		{"v0 := queue.New(-1)", Called},
		{"v0 := queue.New(0)", Called},
		{"v0 := queue.New(1048576)", Called},
		{`v0 := queue.New(-1); v0.Put("b c")`, Alike}, // what made the receiver counts, not with which numbers
		{`v0 := queue.New(2); v0.Put("")`, Called},
		{"v0 := &queue.Queue{}; v1 := v0.Len()", Called}, // no test makes a zero value
		{"v0 := queue.New(2); v1 := v0.Same(v0)", Uncalled},
		{`v0, v0b := queue.Parse("x")`, Uncalled},
	} {
		s, err := table.Parse(tt.steps)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Use(s); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.steps, got, tt.want)
		}
	}
	var none *Usage
	if s, _ := table.Parse("v0 := queue.New(7)"); none.Kinds(table).Use(s) != Untested {
		t.Error("a package without tests has a use")
	}
}

func TestKindsCatches(t *testing.T) {
	u, table := read(t, `
func TestMust(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	New(1).Must()
}`, "")
	p := u.Kinds(table)
	for steps, want := range map[string]bool{"v0 := queue.New(1); v1 := v0.Must()": true, "v0 := queue.New(1)": false} {
		if s, err := table.Parse(steps); err != nil || p.Catches(s) != want {
			t.Errorf("%s: caught %v, error %v, want %v", steps, !want, err, want)
		}
	}
}
