// Package ubstack is a bounded stack of distinct numbers.
package ubstack

// A UBStack holds up to four numbers, each once.
type UBStack struct {
	elems [4]int
	size  int
}

// New returns an empty stack.
func New() *UBStack { return &UBStack{} }

// Push puts x on the stack. A number that it holds becomes the top; of a full stack the
// lowest is lost.
func (s *UBStack) Push(x int) {
	at := -1
	for i := range s.size {
		if s.elems[i] == x {
			at = i
		}
	}
	switch {
	case at >= 0:
		s.drop(at)
	case s.size == len(s.elems):
		s.drop(0)
	}
	s.elems[s.size] = x
	s.size++
}

func (s *UBStack) drop(at int) {
	for i := at; i < s.size-1; i++ {
		s.elems[i] = s.elems[i+1]
	}
	s.size--
	s.elems[s.size] = 0
}

// Pop takes the top off.
func (s *UBStack) Pop() {
	if s.size > 0 {
		s.size--
		s.elems[s.size] = 0
	}
}

// Top returns the top, or -1.
func (s *UBStack) Top() int {
	if s.size == 0 {
		return -1
	}
	return s.elems[s.size-1]
}

// Equal reports whether both hold the same numbers, in any order.
func (s *UBStack) Equal(o *UBStack) bool {
	if o == nil || s.size != o.size {
		return false
	}
	for i := range s.size {
		found := false
		for j := range o.size {
			if s.elems[i] == o.elems[j] {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
