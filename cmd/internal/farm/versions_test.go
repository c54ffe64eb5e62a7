package farm

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"foray.test/cmd/internal/farm/fuzzrun"
	"foray.test/cmd/internal/farm/record"
)

// lucky is a runner that finds an entry at one version only. A run takes a side for each
// entry that there is.
type lucky struct {
	simulated
	version string
}

func (l *lucky) Run(_ context.Context, job *record.Job, dir string) (*fuzzrun.Output, error) {
	places := fuzzrun.PlacesOf(&job.Target, dir)
	hash, err := record.EntryHash(true, input(7, 0))
	if err == nil && job.Target.Version == l.version {
		err = places.AddEntry(hash, input(7, 0))
	}
	sides := 0
	if places.HasEntry(hash) {
		sides = 1
	}
	return &fuzzrun.Output{Run: record.Run{Counts: record.Counts{Sides: 1, SidesCovered: sides}, Ended: "time"}}, err
}

// An entry of a version that the farm no longer has takes a side at the version that it has now.
func TestVersionsShare(t *testing.T) {
	dir := t.TempDir()
	l := &lucky{version: "v1.0.0"}
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		c := testConfig(t, dir, l)
		c.Targets = func(context.Context) ([]record.Target, []Problem) {
			list := planned(1)
			list[0].Version = version
			return list, nil
		}
		c.Jobs = 1
		v, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Queue.Close()
		if len(v.Targets) != 1 || v.Targets[0].Known.SidesCovered != 1 || v.Targets[0].Version != version {
			t.Errorf("%s: %+v, want the side taken", version, v.Targets)
		}
	}
}

// A target has a bounded number of versions, and other targets none of them.
func TestVersionsOf(t *testing.T) {
	var v versions
	var ids []string
	for i := range maxVersions + 3 {
		target := record.Target{Package: "m.test/p", Version: fmt.Sprint("v1.", i)}
		v.add([]record.Target{target, {Package: "m.test/p", Version: target.Version, Fuzz: "FuzzF"}, {Package: "m.test/q"}})
		ids = append(ids, target.ID())
	}
	last := record.Target{Package: "m.test/p", Version: fmt.Sprint("v1.", maxVersions+2)}
	if got, want := v.others(&last), ids[3:len(ids)-1]; !slices.Equal(got, want) {
		t.Errorf("others %q, want %q", got, want)
	}
	if got := v.others(&record.Target{Package: "m.test/q"}); len(got) != 0 {
		t.Errorf("others of a target with one version: %q", got)
	}
}
