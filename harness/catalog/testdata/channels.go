package channels

import (
	"sync"
	"time"
)

func Events() <-chan string { return nil }

func Feed(c chan<- int) {}

func Both() chan time.Time { return nil }

func Drain(c chan int) int { return <-c }

// Poll does not wait.
func Poll(c <-chan int) (int, bool) {
	select {
	case n := <-c:
		return n, true
	default:
		return 0, false
	}
}

// Each waits for goroutines that it starts itself: that is no design of waiting.
func Each(n int) int {
	var wg sync.WaitGroup
	done := make(chan int, n)
	for i := range n {
		wg.Go(func() { done <- i })
	}
	wg.Wait()
	return <-done
}
