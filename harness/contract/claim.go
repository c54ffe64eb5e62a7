package contract

import "foray.test/engine"

// claim returns the claim of a finding of a kind, a crash or a call that does not return.
func (s *scene) claim(kind string) engine.Claim {
	switch {
	case kind == engine.KindHang:
		return engine.ClaimHang
	case s.class == rangeFunc, s.class == mapRace: // Go forbids it, whatever the caller does
		return engine.ClaimPromise
	case kind != engine.KindExit && parses(s.Table, s.op):
		return engine.ClaimRefusal
	}
	return engine.ClaimCrash
}
