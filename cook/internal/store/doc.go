// Package store keeps cooked results of a user: contents under the name of their
// content, and for each action what it gave. All checkouts and any number of
// processes share one store at the same time, without a lock between them.
//
// # Two levels of keys
//
// What a recipe reads is known only after it ran. So a result is found in two
// steps:
//
//	ActionID  what is known before: salt, recipe, version, options, tool, source
//	          content. It leads to the read sets: the lists of names that runs of
//	          this action have read before, newest first.
//	ResultID  the ActionID and the digests of what those names hold now. It leads
//	          to the Result: artifacts as blob IDs, and the time it took.
//	BlobID    BLAKE3-256 of a content. It leads to the content.
//
// # Why a key is right
//
// A recipe is a function of what is in the ActionID and of the files it reads.
// Take a run now, and a recorded run with the same ActionID whose read set, looked
// up now, gives the same digests. Both begin in the same state, so both ask for
// the same first file, which holds the same bytes, so both ask for the same
// second file, and so on to the end: the run now would read the recorded names
// and write the recorded artifacts. It need not happen. A name that was looked for
// and not found is part of the read set too, with a digest that says so: a file
// that appears there later changes the ResultID. This fails only where a recipe
// depends on something that is in neither key, which is an error of that recipe,
// or where two contents share a BLAKE3 digest.
//
// The order of read sets does not matter for being right, only for being fast: a
// wrong read set leads to a ResultID that was never recorded.
//
// # Why a damaged store cannot give a wrong result
//
//   - A blob is verified against its ID each time it is copied out, on the bytes
//     that landed at the destination, and each time it is copied in.
//   - A record (read sets, a result) is one small file with the ID that it answers
//     for and a checksum over everything. A torn, foreign or bit-flipped file has a
//     wrong checksum; one that was renamed or swapped has another ID; one of another
//     version or kind has another head. Counts and lengths are checked against what
//     is left of the file before anything is allocated.
//   - Whatever fails these checks is deleted and reported as [ErrDamaged], which
//     means the same to a caller as [ErrMissing]: cook.
//   - Files come into being by rename from the store's tmp folder, so no reader sees
//     one half written. After a power cut one may be empty or torn; that is a
//     damaged file like any other, so nothing here waits for the disk.
//   - A read set or blob that goes while someone wants it, through Trim or rm, is a
//     miss. An open file stays readable to its end.
//
// The checksum of records notices accidents. It does not keep out a person who may
// write to the store, just as nothing keeps that person from editing the outputs.
//
// # Layout
//
//	DIR/v1/README, CACHEDIR.TAG
//	DIR/v1/blobs/ab/ab12...      content, read-only, 64 hex digits
//	DIR/v1/reads/ab/ab12...      read sets of an action
//	DIR/v1/results/ab/ab12...    result
//	DIR/v1/tmp/.tmp-...          files on their way in
//	DIR/v1/trimmed               its mtime is when the last Trim ended
//
// The time of last use is the file's mtime, refreshed on use when it is older than
// an hour.
package store
