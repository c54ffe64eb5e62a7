// Package magic breaks on a constant that only its source tells.
package magic

const key = "open sesame"

// Door opens once.
type Door struct{ tries int }

// NewDoor returns a closed door.
func NewDoor() *Door { return &Door{} }

// Say says a word to the door and returns how often it was spoken to.
func (d *Door) Say(word string, code int) int {
	d.tries++
	if word == key && code == 73914 {
		return []int{}[d.tries]
	}
	return d.tries
}
