package executor

import (
	"runtime"
	"runtime/metrics"
)

// allocatedBytes returns how much the process has allocated so far. It costs about a
// microsecond: call it for sequences that may cost a thousand times that. A run that is to
// repeat itself counts each byte, which costs ten times as much: the metric has only
// those of spans that are full.
func (x *learned) allocatedBytes() uint64 {
	if x.own > 0 {
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		return mem.TotalAlloc
	}
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
