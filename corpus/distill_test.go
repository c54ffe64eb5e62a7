package corpus

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func item(cost int, sides ...int32) Item {
	it := Item{Cost: cost}
	for _, side := range sides {
		it.Features = append(it.Features, SideFeature(side))
	}
	return it
}

func TestDistill(t *testing.T) {
	for _, test := range []struct {
		name string
		list []Item
		have []Feature
		want []int
	}{
		{"nothing", nil, nil, nil},
		{"no features", []Item{{Cost: 1}, {Cost: 2}}, nil, nil},
		{"the smaller of two alike", []Item{item(3, 1, 2), item(2, 2, 1), item(2, 1, 2)}, nil, []int{1}},
		{"a feature named twice counts once", []Item{item(1, 1, 1, 1), item(1, 1, 2)}, nil, []int{1}},
		{"all are needed", []Item{item(1, 1), item(9, 2), item(1, 3)}, nil, []int{0, 1, 2}},
		{"one large for many small", []Item{item(4, 1), item(4, 2), item(4, 3), item(5, 1, 2, 3)}, nil, []int{3}},
		{"many small for one large", []Item{item(1, 1), item(1, 2), item(1, 3), item(50, 1, 2, 3)}, nil, []int{0, 1, 2}},
		// The first is the best at first, and superfluous once both others are needed.
		{"superfluous in the end", []Item{item(2, 1, 2, 3, 4), item(2, 1, 2, 5), item(2, 3, 4, 6)}, nil, []int{1, 2}},
		{"what there is counts", []Item{item(1, 1), item(1, 2)}, item(0, 1).Features, []int{1}},
		{"no cost is one", []Item{item(0, 1), item(-5, 2)}, nil, []int{0, 1}},
		{"sides and values are apart", []Item{item(1, 1), {Features: []Feature{ValueFeature(0, 1)}, Cost: 1}}, nil, []int{0, 1}},
	} {
		if got := Distill(test.list, test.have); !slices.Equal(got, test.want) {
			t.Errorf("%s: Distill = %v, want %v", test.name, got, test.want)
		}
	}
}

// random returns n items of up to most of so many features.
func random(r *rand.Rand, n, features, most int) []Item {
	list := make([]Item, n)
	for i := range list {
		list[i].Cost = 1 + r.IntN(20)
		for range 1 + r.IntN(most) {
			list[i].Features = append(list[i].Features, SideFeature(int32(r.IntN(features))))
		}
	}
	return list
}

// cost returns the cost of the chosen items and checks that they have all
// features, and that no one of them can be left out.
func cost(t *testing.T, list []Item, chosen []int) int {
	t.Helper()
	times := map[Feature]int{}
	sum := 0
	for _, i := range chosen {
		sum += list[i].Cost
		for f := range distinct(list[i]) {
			times[f]++
		}
	}
	for i := range list {
		for f := range distinct(list[i]) {
			if times[f] == 0 {
				t.Fatalf("feature %x of item %d is lost", f, i)
			}
		}
	}
	for _, i := range chosen {
		needed := false
		for f := range distinct(list[i]) {
			needed = needed || times[f] == 1
		}
		if !needed {
			t.Fatalf("item %d can be left out of %v", i, chosen)
		}
	}
	return sum
}

func distinct(it Item) map[Feature]bool {
	set := map[Feature]bool{}
	for _, f := range it.Features {
		set[f] = true
	}
	return set
}

// optimum returns the least cost of a choice that has all features.
func optimum(list []Item) int {
	number := map[Feature]uint64{}
	masks := make([]uint64, len(list))
	var all uint64
	for i, it := range list {
		for _, f := range it.Features {
			if number[f] == 0 {
				number[f] = 1 << len(number)
			}
			masks[i] |= number[f]
		}
		all |= masks[i]
	}
	best := -1
	for choice := range 1 << len(list) {
		var has uint64
		sum := 0
		for i := range list {
			if choice>>i&1 != 0 {
				has |= masks[i]
				sum += list[i].Cost
			}
		}
		if has == all && (best < 0 || sum < best) {
			best = sum
		}
	}
	return best
}

// Greedy choice costs at most H(n) times the least. The documentation of
// Distill gives the average.
func TestDistillOptimum(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	cases := 2000
	if testing.Short() {
		cases = 200
	}
	sum, worst, exact := 0.0, 1.0, 0
	for range cases {
		list := random(r, 1+r.IntN(12), 1+r.IntN(24), 8)
		got, want := cost(t, list, Distill(list, nil)), optimum(list)
		most := 0
		for _, it := range list {
			most = max(most, len(distinct(it)))
		}
		harmonic := 0.0
		for n := 1; n <= most; n++ {
			harmonic += 1 / float64(n)
		}
		ratio := float64(got) / float64(want)
		if ratio > harmonic+1e-9 || ratio < 1 {
			t.Fatalf("%v: cost %d, the least is %d, want at most %.2f times that", list, got, want, harmonic)
		}
		sum += ratio
		worst = max(worst, ratio)
		if got == want {
			exact++
		}
	}
	t.Logf("%d cases: exact in %d, %.3f times the least on average, %.2f at worst", cases, exact, sum/float64(cases), worst)
	if mean := sum / float64(cases); mean > 1.03 {
		t.Errorf("%.3f times the least on average, want at most 1.03", mean)
	}
}

// Larger lists have all features too, in the same choice each time.
func TestDistillLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		list := random(r, 500, 300, 40)
		chosen := Distill(list, nil)
		cost(t, list, chosen)
		if again := Distill(list, nil); !slices.Equal(again, chosen) {
			t.Fatalf("Distill = %v, then %v", chosen, again)
		}
	}
}

func TestFeature(t *testing.T) {
	for _, side := range []int32{0, 1, 1 << 30} {
		if got, ok := SideFeature(side).Side(); got != side || !ok {
			t.Errorf("side %d: got %d, %v", side, got, ok)
		}
	}
	if _, ok := ValueFeature(1<<31, 255).Side(); ok {
		t.Error("a value class is a side")
	}
	if n := bits.OnesCount64(uint64(ValueFeature(1, 1) ^ ValueFeature(1, 2))); n == 0 {
		t.Error("two sizes of a type are the same feature")
	}
}

// BenchmarkDistill measures the choice alone, on entries like those of fuzzing:
// most take common sides, and some sides are rare.
func BenchmarkDistill(b *testing.B) {
	for _, size := range []struct{ entries, sides int }{{100, 300}, {10_000, 3000}} {
		b.Run(fmt.Sprintf("entries=%d/sides=%d", size.entries, size.sides), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			list := make([]Item, size.entries)
			for i := range list {
				list[i].Cost = 8 + r.IntN(40)
				for range 20 + r.IntN(180) {
					x := r.Float64()
					list[i].Features = append(list[i].Features, SideFeature(int32(x*x*float64(size.sides))))
				}
			}
			var chosen []int
			b.ReportAllocs()
			for b.Loop() {
				chosen = Distill(list, nil)
			}
			b.ReportMetric(float64(len(chosen)), "chosen")
		})
	}
}
