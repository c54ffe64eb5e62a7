package engine

import "math"

// An OracleID names what judges a sequence after its last step: a contract or a law. Equal
// tables have equal names. If a call that an oracle makes of its own does not return, the
// oracle is switched off: no operation of the sequence is to blame.
type OracleID uint32

const (
	NoOracle  OracleID = 0              // the steps themselves run
	AnyOracle OracleID = math.MaxUint32 // not known which
)

// Known reports whether o names an oracle, so that it can be switched off.
func (o OracleID) Known() bool { return o != NoOracle && o != AnyOracle }
