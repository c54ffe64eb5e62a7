package contract

import (
	"strings"
)

// receiverSlot returns the slot that the last step was called on.
func (s *scene) receiverSlot() (int32, bool) {
	if !s.slots {
		return 0, false
	}
	return s.hist.receiver(len(s.Steps) - 1)
}

// observes reports whether the first word of an operation's name is that of an
// observer.
func observes(name string) bool {
	w := words(name)
	return len(w) > 0 && observeWords[w[0]] || strings.HasPrefix(name, "Is")
}
