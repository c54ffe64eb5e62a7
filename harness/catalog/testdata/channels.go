package channels

import "time"

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
