// Package pass brings an output folder up to date with a tree of assets, as a function
// of values:
//
//	last  := state.Load                  what the last run knew
//	delta := changes(last)               what differs, and whom that concerns
//	todo  := plan(last, delta)           what is to be done, and why
//	done  := execute(todo)               the only stage that cooks or writes artifacts
//	         commit(last, delta, done)   manifest, one sync, index
//
// There is one way. A first run is the case in which everything differs, a no-op run
// the case in which nothing does, a watcher's round the case in which it is known where
// to look; a dry run ends before it writes. Stages hand values on and keep nothing: a
// step is given up by dropping its value.
//
// # What differs
//
// If the index vouches for the whole tree, as cooked by this program with these
// options (the fingerprint) for these targets, then the stamps of all that it knows are
// compared with the file system (package restat), and only what differs is listed, read
// and planned. What concerns the tree as a whole (ignore files that changed, a folder
// that cannot be listed, outputs that an action elsewhere claims) makes everything
// differ: the tree is listed whole, and every source is planned.
//
// # Targets in turn
//
// An index vouches for targets one by one. What a run finds out about sources,
// dependencies and rules is news to the targets that it was not for: the plan also
// judges the actions of those, and what they would have to do is pending in the index.
// The next run for such a target sees to that besides what differs. Outputs need no such
// care: their stamps are those under which their own target knows them.
package pass
