package digest

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestMapEntriesInPlaceOrCopied: both ways to read the entries of a map agree, and
// this Go version allows the fast one.
func TestMapEntriesInPlaceOrCopied(t *testing.T) {
	if !iterKnown {
		t.Error("reflect.MapIter has changed: entries are copied, which is slow")
	}
	if _, _, ok := iterOffsets(reflect.TypeFor[struct{ hiter struct{ key int } }]()); ok {
		t.Error("iterOffsets takes a foreign type for an iterator")
	}
	defer func(known bool) { iterKnown = known }(iterKnown)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	inPlace, copied := New(Limits{}), New(Limits{})
	for i := range 2000 {
		v := newGraph(rand.New(rand.NewPCG(seed, uint64(i))))
		iterKnown = true
		want := inPlace.Sum(v)
		iterKnown = false
		if got := copied.Sum(v); got != want {
			t.Fatalf("value %d: Sum = %+v copied, %+v in place:\n%s", i, got, want, encode(v))
		}
	}
	if len(copied.levels) < 2 || len(copied.levels[0].scratch) < 5 || len(inPlace.levels[0].scratch) > 0 {
		t.Errorf("copied %d types of maps on %d levels, in place %d: want at least 5 on 2, and none",
			len(copied.levels[0].scratch), len(copied.levels), len(inPlace.levels[0].scratch))
	}
}
