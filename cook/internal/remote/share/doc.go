// Package share is the other end of the wire, the process serve-remote. It answers a run's questions (package
// cook/internal/remote) out of a server that a team shares, and gives the server the run's
// results.
//
//	requests --look--> server's results --fetch--> blobs --> store
//	                                       store --keep--> blobs, then results
//
// # How a result is kept
//
// The server is one of the Bazel Remote Execution API, or of Bazel's HTTP protocol. Both
// keep blobs under a digest of their content, and an ActionResult under a digest that
// stands for an action. Here that is the digest of an Action message that holds nothing
// but an ID of ours as its salt. The ActionResult has the artifacts as output files named
// by their number, so that the server knows what belongs together and what was used, and
// the records of the store in stdout_raw:
//
//	ActionID  the read sets of the action and, if it reads nothing but its source, its
//	          result: one question for most assets
//	ResultID  the result of an action that reads more
//
// # Why a wrong server cannot give a wrong file
//
// Records have a checksum and the ID that they answer for. A blob is verified by
// BLAKE3-256 against the record while it is written, so what is in the store under an ID
// has that ID. What does not fit is a miss: output files that the record does not have,
// other sizes, names that are no number, a blob that is gone. A server that keeps a
// consistent but wrong result for an action is believed, as is whoever may write to it,
// unless [Keys] say whose signatures are trusted. A signature covers all that an entry says
// and the key that it says it of. It is of the whole entry: what adds read sets to one signs
// it anew, and so vouches for what was there, which it does only for trusted keys and its
// own. See docs/remote.md for what that keeps out.
//
// # How an action is executed
//
//	root --order--> digests --known?--> result --accept--> record, blobs --> store
//	                   \--provide--> what the server lacks --execute--^
//
// The digests of a root say whether the server has executed it before, so nothing is uploaded
// for what it knows. What it lacks is uploaded once, whoever needs it. A result counts if it
// has a record, and the artifacts that this names, and nothing else.
//
// # Failure is a miss
//
// Each request has a deadline and is made once more if the server was not there. After
// three failures in a row, or if a tenth of the last minute's requests failed, the
// server is not asked again in this run.
package share
