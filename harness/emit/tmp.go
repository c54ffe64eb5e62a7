package emit

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)
type Options struct{}
func Test(t *seq.Table, s seq.Sequence, v engine.Verdict, o Options) ([]byte, error) { return []byte(t.String(s)), nil }
func Statements(t *seq.Table, s seq.Sequence) string { return t.String(s) }
