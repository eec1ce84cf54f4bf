// Package commit leaves the results of a pass for the next one.
//
// [ClaimOutputs] writes the journal before anything is made: it claims the names of new outputs.
// [Commit] then writes the manifest, puts everything new on the disk with one sync per file
// system, and writes the index (package state). Both write in proportion to the changes.
//
// The index says for which targets it is valid: for the targets of this run if the index knows
// how every action ended, and for other targets together with the sources that their next run
// must recheck.
package commit
