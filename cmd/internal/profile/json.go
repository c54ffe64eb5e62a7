package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Schema is the version of a Profile's JSON.
const Schema = 1

type profileJSON struct {
	Schema     int         `json:"schema"`
	Sum        string      `json:"sum"` // of the JSON without it
	Package    string      `json:"package"`
	Operations []Operation `json:"operations"`
	Types      []Type      `json:"types"`
	Users      []string    `json:"users,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (p *Profile) MarshalJSON() ([]byte, error) {
	j := profileJSON{Schema: Schema, Package: p.Package, Operations: p.Operations, Types: p.Types, Users: p.Users}
	sum, err := j.sum()
	if err != nil {
		return nil, err
	}
	j.Sum = sum
	return json.Marshal(j)
}

// sum returns the checksum of j.
func (j profileJSON) sum() (string, error) {
	j.Sum = ""
	data, err := json.Marshal(j)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// newerError is the schema of a later version. Its profile is not ours to replace.
type newerError int

func (e newerError) Error() string {
	return fmt.Sprintf("schema %d, want at most %d: it is of a later foray, and stays as it is", int(e), Schema)
}

// Newer tells the store that the file stays.
func (newerError) Newer() bool { return true }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts the output of MarshalJSON for a profile
// of the same package as p, or of any if p has none. On error p is unchanged.
func (p *Profile) UnmarshalJSON(data []byte) error {
	var version struct{ Schema int }
	if err := json.Unmarshal(data, &version); err != nil {
		return err
	}
	if version.Schema > Schema {
		return newerError(version.Schema)
	}
	var j profileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	switch {
	case j.Schema != Schema:
		return fmt.Errorf("schema %d, want %d", j.Schema, Schema)
	case j.Package == "":
		return errors.New("no package")
	case p.Package != "" && p.Package != j.Package:
		return fmt.Errorf("it is of package %q, want %q", j.Package, p.Package)
	}
	read := Profile{Package: j.Package, Operations: j.Operations, Types: j.Types, Users: j.Users}
	if err := read.check(); err != nil {
		return err
	}
	if sum, err := j.sum(); err != nil || sum != j.Sum {
		return errors.New("damaged: the checksum is another")
	}
	*p = read
	return nil
}

// check validates a profile that was read.
func (p *Profile) check() error {
	if !increases(p.Operations, func(a, b *Operation) int { return cmp.Compare(a.Name, b.Name) }) {
		return errors.New("operations: want each once, in order")
	}
	if !increases(p.Types, func(a, b *Type) int { return cmp.Compare(a.Name, b.Name) }) {
		return errors.New("types: want each once, in order")
	}
	for i := range p.Operations {
		o := &p.Operations[i]
		if !increases(o.Read, func(a, b *Calls) int { return compareFrom(a.From, b.From) }) {
			return fmt.Errorf("operation %q: places: want each once, in order", o.Name)
		}
		for j := range o.Read {
			if err := o.Read[j].check(); err != nil {
				return fmt.Errorf("operation %q: %w", o.Name, err)
			}
		}
		if o.Ran != nil {
			if err := o.Ran.check(); err != nil {
				return fmt.Errorf("operation %q: %w", o.Name, err)
			}
		}
	}
	for i := range p.Types {
		if o := p.Types[i].Ran; o != nil && (o.Values < 0 || (len(o.First) == 0) != (len(o.Last) == 0)) {
			return fmt.Errorf("type %q: %d values", p.Types[i].Name, o.Values)
		}
	}
	return nil
}

func increases[E any](list []E, compare func(a, b *E) int) bool {
	for i := range list {
		if i > 0 && compare(&list[i-1], &list[i]) >= 0 {
			return false
		}
	}
	return true
}

// check validates calls that were read.
func (c *Calls) check() error {
	if c.Times < 0 || c.Places < 0 || c.Caught < 0 || c.Caught > c.Times {
		return fmt.Errorf("%d calls at %d places, %d caught", c.Times, c.Places, c.Caught)
	}
	for _, v := range slices.Concat(c.Args, c.CaughtArgs, c.Results) {
		if v.Numbers > 0 && !(isNumber(v.Least) && isNumber(v.Greatest)) {
			return fmt.Errorf("bounds %q and %q, want numbers", v.Least, v.Greatest)
		}
		if len(v.Examples) > maxExamples {
			return fmt.Errorf("%d examples, want at most %d", len(v.Examples), maxExamples)
		}
	}
	for _, r := range c.Relations {
		if r.A < 0 || r.B <= r.A {
			return fmt.Errorf("relation of parameters %d and %d", r.A, r.B)
		}
	}
	return nil
}
