// Package corpus keeps what runs have taught: the component set, the value set, entries.
package corpus
