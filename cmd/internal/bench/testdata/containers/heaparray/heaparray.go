// Package heaparray is a heap in a slice, the largest number first.
package heaparray

// A Heap holds numbers.
type Heap struct{ array []int }

// New returns an empty heap.
func New() *Heap { return &Heap{} }

// Insert adds x.
func (h *Heap) Insert(x int) {
	h.array = append(h.array, x)
	i := len(h.array) - 1
	for i > 0 && h.array[(i-1)/2] < x {
		h.array[i] = h.array[(i-1)/2]
		i = (i - 1) / 2
	}
	h.array[i] = x
}

// Max returns the largest number. It reports false if there is none.
func (h *Heap) Max() (int, bool) {
	if len(h.array) == 0 {
		return 0, false
	}
	return h.array[0], true
}

// ExtractMax removes the largest number. It reports false if there is none.
func (h *Heap) ExtractMax() (int, bool) {
	n := len(h.array)
	if n == 0 {
		return 0, false
	}
	most := h.array[0]
	h.array[0] = h.array[n-1]
	h.array = h.array[:n-1]
	h.down(0)
	return most, true
}

func (h *Heap) down(i int) {
	for {
		most := i
		if l := 2*i + 1; l < len(h.array) && h.array[l] > h.array[most] {
			most = l
		}
		if r := 2*i + 2; r < len(h.array) && h.array[r] > h.array[most] {
			most = r
		}
		if most == i {
			return
		}
		h.array[i], h.array[most] = h.array[most], h.array[i]
		i = most
	}
}
