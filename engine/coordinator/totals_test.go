package coordinator

import "testing"

// A process may stall between sequences because the machine is busy. Many do for a reason.
func TestStall(t *testing.T) {
	var all totals
	for n, want := range []int{0, 0, 1, 2} {
		if all.stall("it did not go on"); all.unexplained != want {
			t.Errorf("after %d: %d are unexplained, want %d", n+1, all.unexplained, want)
		}
	}
	if all.unexplain("signal: killed"); all.unexplained != 3 || all.lastUnexplained != "signal: killed" {
		t.Errorf("%d are unexplained, the last by %q", all.unexplained, all.lastUnexplained)
	}
}
