// Package iface breaks for one of its implementations of an interface.
package iface

// A Shape has corners.
type Shape interface{ Corners() []int }

type polygon struct{ n int }

type circle struct{}

// Corners implements [Shape].
func (p polygon) Corners() []int { return make([]int, p.n) }

// Corners implements [Shape]: a circle has none.
func (circle) Corners() []int { return nil }

// Polygon returns a polygon with three to ten corners.
func Polygon(n int) Shape { return polygon{3 + min(max(n, 0), 7)} }

// Circle returns a circle.
func Circle() Shape { return circle{} }

// First returns the first corner of a shape.
func First(s Shape) int {
	if s == nil {
		return 0
	}
	return s.Corners()[0]
}
