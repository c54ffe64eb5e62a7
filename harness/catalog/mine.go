package catalog

import (
	"go/types"

	"foray.test/engine/seq"
)

type mined struct{}

func (f *finder) mine() mined { return mined{} }

func (m mined) of(t types.Type, ty seq.Type) []string { return nil }
