// Package null breaks when a documented nil is given.
package null

// Options say how to render.
type Options struct{ Width int }

// Render renders s. A nil o means the defaults.
func Render(s string, o *Options) string {
	width := []int{}
	if o != nil {
		return s
	}
	return s[:width[0]]
}
