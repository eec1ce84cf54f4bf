// Package cook turns a folder of source assets into a folder of shippable ones
// and does only the work that is needed.
//
//	summary, err := cook.Cook(ctx, cook.Options{Dir: "assets"})
//
// This package is the pipeline and the only place where its stages are wired
// together. Each stage owns the type that it hands on:
//
//	tree --scan--> entries and stamps --survey--> contents --plan--> actions and reasons
//	     --run--> artifacts --report--> lines, JSON, counters
//	     and last of all --> manifest, index
//
// That is the long way. When the index vouches for the whole tree, a quick way
// comes first: a sweep asks stat about all that the index knows, and the pipeline
// is led over what differs, as if that were all there is. A run in which nothing
// changed is that sweep and nothing else (quick.go). [Watch] does the same for the
// folders in which the system reports changes.
//
// # The stages
//
// [scan] lists the tree and stats every file; it opens none. What .cookignore
// names and the usual junk are left out.
//
// [index] is what the last run knew: stamps, checksums, blob IDs, actions. It
// is a cache; without it there is more to read and nothing else.
//
// [sweep] compares the stamps of everything in the index with the file system.
//
// [survey] finds out what every file's content is now. A stamp that was old
// enough to be trusted and has not changed vouches for the content; otherwise
// the file is checksummed. Outputs are looked at in the same way.
//
// [rules] say which recipe with which options cooks a source. They come from
// cook.toml over a built-in table.
//
// [plan] compares and decides. It is pure: it reads and writes nothing, so
// that -n and why show just what a run would do. Every decision has reasons.
//
// [lint] looks at the first bytes of what is about to be cooked and warns of what
// most likely is a mistake, such as a Git LFS pointer in the place of a picture.
//
// [run] carries out what has to be done: it brings results back from the
// [store] or has a [recipe] cook them, and renames them into place.
//
// [report] tells what happened.
//
// # Why the output is never wrong
//
// The index is written when everything it speaks of is on the disk, so a run
// that ends too early, by whatever means, leaves an older index: the next run
// sees more differences than there are, never fewer. Artifacts are renamed
// into place when they are complete. Their names are in a journal before that,
// so that even without an index the cooker knows its own files from yours; it
// never touches yours.
//
// A source that changes while it is cooked is noticed, because it is stamped
// before it is read and again after. That result is thrown away.
//
// [Verify] proves all this of an output folder: it believes no stamp, reads
// everything, and cooks a sample again under other conditions.
package cook
