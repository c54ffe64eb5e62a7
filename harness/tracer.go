package harness

import "foray.test/engine"

// tracer returns the executor as a tracer, or nil over a normal build.
func (x *executor) tracer() engine.Tracer { return nil }
