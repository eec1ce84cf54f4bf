// Package store keeps the results of a user's earlier cooks: blobs, named by the hash of their
// content, and the artifacts of each action. All checkouts and any number of processes share
// one store at the same time, without locks between processes.
//
// # Two levels of keys
//
// The files that a recipe reads are known only after it ran. A result is therefore looked up in
// two steps:
//
//	ActionID  facts known before the run: salt, recipe, version, options, tool, source
//	          content. It finds the read sets: the lists of names that runs of this
//	          action have read before, newest first.
//	ResultID  the ActionID and the digests of the current content of those names. It
//	          finds the Result: artifacts as blob IDs, and the cook time.
//	BlobID    BLAKE3-256 of a content. It finds the content.
//
// # Why a key is right
//
// A recipe is a function of the facts in the ActionID and of the files it reads. Compare a run
// now with a recorded run that has the same ActionID and whose read set has the same digests
// now. Both start in the same state, so both request the same first file, which has the same
// bytes, so both request the same second file, and so on to the end: the run now would read the
// recorded names and write the recorded artifacts. It can therefore be skipped. A name that was
// absent is part of the read set too, with a digest for absence: if the file appears later, the
// ResultID changes. This fails only if a recipe depends on something in neither key, which is a
// bug of the recipe, or if two contents have the same BLAKE3 digest.
//
// The order of read sets affects only speed, not correctness: a wrong read set leads to a
// ResultID that was never recorded.
//
// # Why a damaged store cannot give a wrong result
//
//   - A blob is verified against its ID each time it is copied out, using the bytes that reached
//     the destination, and each time it is copied in.
//   - A record (read sets, a result) is one small file with its ID and a checksum over
//     everything. A torn, foreign or bit-flipped file has a wrong checksum; a renamed or swapped
//     file has another ID; a file of another version or kind has another header. Counts and
//     lengths are checked against the rest of the file before anything is allocated.
//   - A file that fails these checks is deleted and reported as [ErrDamaged]. The caller cooks,
//     as after [ErrMissing].
//   - Files are created by rename from the store's tmp directory, so no reader sees a
//     half-written file. After a power failure a file may be empty or torn; this is damage like
//     any other, so the store never syncs.
//   - A read set or blob that is deleted during use, by Trim or rm, is a miss. An open file stays
//     readable to its end.
//
// The checksum of records detects accidents. It does not stop a person with write access to the
// store, but such a person could also edit the outputs.
//
// # Layout
//
//	DIR/v1/README, CACHEDIR.TAG
//	DIR/v1/blobs/ab/ab12...      content, read-only, 64 hex digits
//	DIR/v1/reads/ab/ab12...      read sets of an action
//	DIR/v1/results/ab/ab12...    result
//	DIR/v1/tmp/.tmp-...          files before their rename
//	DIR/v1/trimmed               its mtime is the end of the last Trim
//
// The time of last use is the file's mtime; a use updates it if it is older than an hour.
package store
