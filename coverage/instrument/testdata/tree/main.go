// Command tree runs sequences of calls on a red-black tree and prints the
// nanoseconds they took. BenchmarkForms builds it in each form.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// stepsPerSequence is about what composition aims at.
const stepsPerSequence = 50

func main() {
	steps, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	prepare()
	sum, random := 0, uint64(1)
	start := time.Now()
	for done := 0; done < steps; done += stepsPerSequence {
		begin()
		t := &tree[int, int]{compare: compareInts}
		for range stepsPerSequence {
			random = random*6364136223846793005 + 1442695040888963407
			key := int(random >> 58)
			switch random >> 40 & 3 {
			case 0, 1:
				t.Put(key, key)
			case 2:
				if _, ok := t.Get(key); ok {
					sum++
				}
			default:
				t.Remove(key)
			}
		}
		sum += t.size
	}
	fmt.Println(time.Since(start).Nanoseconds(), sum)
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
