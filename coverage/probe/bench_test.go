package probe

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkLoop compares a loop that does little but test four conditions with
// the same loop marked, an upper bound of the cost of marking. One op is one
// iteration.
func BenchmarkLoop(b *testing.B) {
	list := make([]int, 4096)
	r := rand.New(rand.NewPCG(1, 0))
	for i := range list {
		list[i] = r.IntN(100)
	}
	for _, loop := range []struct {
		name string
		f    func([]int) int
	}{{"plain", plainLoop}, {"cond", condLoop}, {"bool", boolLoop}} {
		b.Run(loop.name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; n < b.N; n += len(list) {
				sink += loop.f(list)
			}
		})
	}
}

var sink int

func plainLoop(list []int) (n int) {
	for i := 0; i < len(list); i++ {
		if x := list[i]; x > 50 && x < 90 {
			n += x
		} else if x&1 == 0 {
			n--
		}
	}
	return n
}

func condLoop(list []int) (n int) {
	for i := 0; Cond(0, i < len(list)); i++ {
		if x := list[i]; Cond(2, x > 50) && Cond(4, x < 90) {
			n += x
		} else if Cond(6, x&1 == 0) {
			n--
		}
	}
	return n
}

func boolLoop(list []int) (n int) {
	for i := 0; Bool(0, i < len(list)); i++ {
		if x := list[i]; Bool(2, x > 50) && Bool(4, x < 90) {
			n += x
		} else if Bool(6, x&1 == 0) {
			n--
		}
	}
	return n
}
