package blame

import "testing"

func TestStray(t *testing.T) {
	modes, weekdays, bits, units := []int64{0, 1}, []int64{1, 2, 3, 4, 5, 6, 7}, []int64{1, 2, 4, 7, 8}, []int64{1, 1e3, 1e6, 1e9}
	for _, test := range []struct {
		name      string
		constants []int64
		n         int64
		want      bool
	}{
		{"no constants", nil, 9, false},
		{"one constant", []int64{3}, 9, false},
		{"a constant", modes, 1, false},
		{"behind the last", modes, 2, true},
		{"negative", modes, -1, true},
		{"zero", []int64{3, 4, 5}, 0, false},
		{"zero before one", weekdays, 0, true},
		{"no flag", bits, 0, false},
		{"two flags", []int64{1, 2}, 0, false},
		{"consecutive numbers are no flags", []int64{0, 1, 2, 3, 4}, 6, true},
		{"numbers of which some are powers of two", weekdays, 8, true},
		{"flags together", bits, 13, false},
		{"no such flag", bits, 16, true},
		{"all flags and more", bits, -1, true},
		{"powers of two far from each other are a quantity", []int64{1 << 10, 1 << 20, 1 << 30}, 1500, false},
		{"a constant of bits that are none of the flags", []int64{1, 2, 4, 24}, 3, true},
		{"high flags", []int64{1 << 30, 1 << 31}, 1<<30 | 1<<31, false},
		{"characters", []int64{'[', '{', '}'}, 'x', true},
		{"a quantity", units, 7, false},
	} {
		if got := stray(test.constants, test.n); got != test.want {
			t.Errorf("%s: stray(%v, %d) = %v", test.name, test.constants, test.n, got)
		}
	}
}
