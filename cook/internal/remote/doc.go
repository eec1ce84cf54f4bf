// Package remote lets a run take results from a server that a team shares, and give it its
// own.
//
//	execute --Look, Fetch, Keep, Run--> Client --wire--> cook-remote --gRPC or HTTP--> server
//	      \                                                  /
//	       `------------------- store ----------------------'
//
// The server is reached by a process of its own, cook-remote: the libraries that it needs
// would cost each start of cook more than a no-op run takes. A [Client] starts it when there
// is first something to ask, so a run without work neither starts it nor connects.
//
// Contents do not pass through the wire. cook-remote puts what it downloads into the store,
// which verifies every blob against its BLAKE3-256 while it is written, and takes from there
// what it uploads. A result is recorded in the store when all of its blobs are there.
//
// # Actions that other machines cook
//
// A server may have machines that execute actions. Run has one of them cook an action, with
// this very program: see [Action] and [Record]. What it has made is in the store then; whether
// it was made from what is here the run finds out from the record.
//
// # Failure is a miss
//
// No method returns an error. The run cooks every result that does not arrive in time, and passes
// the reason once to the note function of [New]. The first line in each direction has the version
// of the protocol. If cook-remote has another version, dies, prints an invalid answer, or prints
// nothing for half a minute, every later question is a miss, and one note says so.
//
// Package cook/internal/remote/share is the other end of the wire.
package remote
