// Package coverage is the vocabulary of coverage: conditions of the code under
// test, their sides, sets of sides, and the frontier.
//
// The condition of
//
//	if n > len(s) {
//
// has the sides "false" and "true". Package coverage/instrument finds the
// conditions, numbers their sides and rewrites the source so that it marks each
// side it takes in the bytes of package coverage/probe. After a run:
//
//	hits := probe.Hits[:sides]
//	if coverage.HasNew(covered, hits) {
//		covered.AddHits(hits) // the run is worth keeping
//	}
//	clear(hits)
//
// A side is a number, valid for one build. Stored files name a side by
// Condition.ID and its own name. The package does not decide which sides are
// interesting and keeps no counts of visits. It is linked into workers, so it
// imports little.
package coverage
