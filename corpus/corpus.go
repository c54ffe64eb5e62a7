// Package corpus keeps what runs have taught: the component set, the value set, and
// which entries are enough to show what all of them do.
package corpus
