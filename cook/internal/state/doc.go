// Package state owns cook's own files in an output directory: the directory .cook and the
// manifest.
//
//	.cook/lock          held by the running cook; see Dir.Lock
//	.cook/index         index of the last run, without later changes
//	.cook/changes-ID    changes of the index with that ID; see package index
//	.cook/journal       outputs that are ours although no index has them
//	.cook/dirty         exists while sources on other file systems are synced; see Pending
//	.cook/history       one line for each of the last runs
//	.cook/socket        socket of a watcher; see package watch
//	.cook/outputs       names the output directory if .cook is elsewhere; see Dir.Settle
//	manifest.json, manifest.parts
//
// # Order of writes
//
// The index is written last, after everything that it is the first to describe is on the disk.
// So a run that ends too early, for whatever reason, leaves an older index: the next run sees
// more differences than there are, never fewer. The journal has the name of a new artifact, on
// the disk, before the artifact exists under that name. A file that neither index, journal nor
// manifest has is foreign, and cook never touches it.
package state
