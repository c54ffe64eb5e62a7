package seq

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Hash identifies the table: 16 hexadecimal digits that differ when anything in
// it does. Numbers of operations and types mean the same under equal hashes.
func (t *Table) Hash() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("seq: table of %s has no JSON form: %v", t.Package, err))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
