package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

type Contract struct {
	Name string; Arity int; Tier engine.Tier; Doc string; Type seq.TypeID; Op seq.OpID; Assert string
	Holds func(c Caller, v []any) (ok bool, detail string)
}
type Caller interface { Call(op seq.OpID, args ...any) (results []any, panicked any) }
func Bind(t *seq.Table) []Contract { return nil }
