// Package corpus keeps the results of runs: the component set, the value set,
// and the choice of entries that cover the features of all.
package corpus
