// Package feed carries what a watcher changes in its output folder to the programs that
// follow it.
//
// A [History] keeps the last batches, one for each round that changed something, and
// answers at the watcher's socket (package peer). [Ask] asks there for what came after a
// [Position]; the answer waits until there is something. A follower that is too far
// behind, or comes from another watcher, is told to compare: anything may have changed,
// and the manifest is at least as new as the position that it gets.
package feed
