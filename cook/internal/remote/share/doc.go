// Package share implements the process serve-remote, the other end of the wire. It answers a
// run's questions (package cook/internal/remote) from a server that a team shares, and uploads
// the run's results to that server.
//
//	requests --look--> server's results --fetch--> blobs --> store
//	                                       store --keep--> blobs, then results
//
// # How a result is kept
//
// The server implements the Bazel Remote Execution API or Bazel's HTTP protocol. Both keep blobs
// under a digest of their content, and an ActionResult under the digest of an action. Here the
// action is an Action message that contains only one of our IDs as its salt. The ActionResult
// lists the artifacts as output files named by their number, so that the server knows which blobs
// belong together and which are in use. The records of the store are in stdout_raw:
//
//	ActionID  the read sets of the action and, if it reads only its source, its
//	          result: one question for most assets
//	ResultID  the result of an action that reads more
//
// # Why a wrong server cannot give a wrong file
//
// Records have a checksum and their ID. A blob is verified by BLAKE3-256 against the record while
// it is written, so the store has the right content for every ID. Every inconsistency is a miss:
// output files that the record lacks, other sizes, names that are not numbers, a missing blob. A
// server with a consistent but wrong result is believed, and so is everyone with write access to
// it, unless [Keys] lists trusted signatures. A signature covers the whole entry and its key. A
// program that adds read sets to an entry signs it again and so vouches for the old contents; it
// does this only for entries of trusted keys and its own. See docs/remote.md for the threats that
// this excludes.
//
// # How an action is executed
//
//	root --order--> digests --known?--> result --accept--> record, blobs --> store
//	                   \--provide--> inputs that the server lacks --execute--^
//
// The digests of a root show whether the server has executed it before; then nothing is uploaded.
// Otherwise each missing input is uploaded once, for all actions that need it. A result is valid
// if it has a record and exactly the artifacts that the record names.
//
// # Failure is a miss
//
// Each request has a deadline and is retried once if the server was unavailable. After three
// failures in a row, or if a tenth of the last minute's requests failed, the run makes no more
// requests.
package share
