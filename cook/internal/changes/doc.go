// Package changes finds the differences between the asset tree and the last run's index.
//
// [Find] returns a [Delta]. If the index is valid for the run (see [ValidFor]), Find compares
// the stamps of all known files with the file system (package restat). It then lists, reads and
// plans only the differences and the sources that depend on them. A watcher narrows this to a
// few directories with a [Where].
//
// Otherwise, [ListTree] lists the whole tree, and every source counts as different. Find does
// the same for changes that concern the whole tree: a changed ignore file, a directory that
// cannot be listed, a file that became another kind of file.
//
// # Targets in turn
//
// An index is valid for some targets. A change that a run finds is new to the targets that the
// run is not for: their affected sources are pending in the index, and the next run for such a
// target adds them to its delta. Outputs need no such care, because their stamps belong to one
// target.
package changes
