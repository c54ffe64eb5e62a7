package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

// printing lists the methods that other packages call on any value: they return.
func printing(a *api) []Contract {
	var all []Contract
	for i := range a.t.Ops {
		op, id := &a.t.Ops[i], seq.OpID(i)
		if !op.Callback || !op.API || op.Kind != seq.Method || len(op.Params) != 1 || len(op.Results) == 0 || op.Pre.Panics || op.Pre.Blocks {
			continue
		}
		all = append(all, Contract{
			Name: "returns", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc: docAnyValue,
			Holds: func(c Caller, v []any) (bool, string) {
				if !isNil(v[0]) {
					c.Call(id, v[0])
				}
				return true, ""
			},
		})
	}
	return all
}
