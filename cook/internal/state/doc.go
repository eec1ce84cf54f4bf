// Package state owns everything of the cooker's own that lies in an output folder: the
// folder .cook and the manifest.
//
//	.cook/lock          held by the run at work; see Lock
//	.cook/index         what the last run knew, with the changes since in
//	.cook/changes-ID    the file of its ID; see package index
//	.cook/journal       outputs that are ours though no index says so
//	.cook/dirty         sources on other file systems are being synced; see Pending
//	.cook/history       what the last runs amounted to
//	.cook/socket        where a watcher answers; see package watch
//	.cook/outputs       names the output folder if .cook is elsewhere; see Settle
//	manifest.json, manifest.parts
//
// # What is on the disk when
//
// The index is written last, after everything that it is the first to say is on the
// disk, so a run that ends too early, by whatever means, leaves an older index: the
// next run sees more differences than there are, never fewer. The name of a new
// artifact is in the journal, on the disk under that name, before the artifact exists.
// A file of the output folder that neither index, journal nor manifest knows is
// foreign, and is never touched.
package state
