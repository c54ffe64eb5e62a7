package engine

import (
	"math"

	"foray.test/engine/seq"
)

// hashStep continues h, the hash of the steps before, with a step.
func hashStep(h uint64, st seq.Step) uint64 {
	h = (h ^ uint64(st.Op)) * 0x9e3779b97f4a7c15
	for _, a := range st.Args {
		if a.Lit == nil {
			h = (h ^ uint64(a.Slot)) * 0xff51afd7ed558ccd
			continue
		}
		h = (h ^ uint64(a.Lit.Pool)<<16) * 0xff51afd7ed558ccd
		if a.Lit.Pool == 0 {
			h = hashValue(h, a.Lit.Value)
		}
	}
	return h ^ h>>29
}

// hashValue continues h with the value of a literal.
func hashValue(h uint64, v any) uint64 {
	switch v := v.(type) {
	case string:
		return hashString(h, v)
	case int64:
		h ^= uint64(v)
	case uint64:
		h ^= v
	case float64:
		h ^= math.Float64bits(v)
	case bool:
		if v {
			h++
		}
	}
	return h * 0xff51afd7ed558ccd
}

// hashString continues h with both ends of s.
func hashString(h uint64, s string) uint64 {
	h = (h ^ uint64(len(s))) * 0x9e3779b97f4a7c15
	const most = 64
	if len(s) > 2*most {
		h = hashString(h, s[:most])
		s = s[len(s)-most:]
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h ^ h>>29
}
