package executor

import "runtime/metrics"

// allocatedBytes returns how much the process has allocated so far. It costs about a
// microsecond: call it for sequences that may cost a thousand times that.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
