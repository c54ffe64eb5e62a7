package farm

import (
	"slices"

	"foray.test/cmd/internal/farm/record"
)

// versions are the IDs of all versions of each target that the farm has ever had, by family.
// Entries that one version has are offered to the jobs of the others.
type versions struct {
	Targets map[string][]string `json:"targets"`
}

// maxVersions is how many versions of a target are remembered, the last ones.
const maxVersions = 16

// add adds targets.
func (v *versions) add(targets []record.Target) {
	if v.Targets == nil {
		v.Targets = map[string][]string{}
	}
	for i := range targets {
		id, family := targets[i].ID(), targets[i].Family()
		list := v.Targets[family]
		if !slices.Contains(list, id) {
			list = append(list, id)
			v.Targets[family] = list[max(0, len(list)-maxVersions):]
		}
	}
}

// others returns the IDs of the other versions of a target.
func (v *versions) others(t *record.Target) []string {
	return slices.DeleteFunc(slices.Clone(v.Targets[t.Family()]), func(id string) bool { return id == t.ID() })
}
