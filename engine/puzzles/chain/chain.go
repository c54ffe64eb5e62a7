// Package chain hides its bug behind three constructors.
package chain

// Engine, Car and Fleet are made of each other.
type (
	Engine struct{ power int }
	Car    struct{ engine *Engine }
	Fleet  struct{ cars []*Car }
)

// NewEngine returns an engine.
func NewEngine(power int) *Engine { return &Engine{power} }

// NewCar returns a car with an engine.
func NewCar(e *Engine) *Car { return &Car{e} }

// NewFleet returns a fleet of a car.
func NewFleet(c *Car) *Fleet { return &Fleet{[]*Car{c}} }

// Second returns the power of the second car.
func (f *Fleet) Second() int {
	if f == nil || f.cars[0] == nil || f.cars[0].engine == nil {
		return 0
	}
	return f.cars[1].engine.power
}
