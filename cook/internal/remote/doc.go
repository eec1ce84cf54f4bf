// Package remote lets a run download results from a server that a team shares, and upload its
// own.
//
//	execute --Look, Fetch, Keep, Run--> Client --wire--> serve-remote --gRPC or HTTP--> server
//	      \                                                   /
//	       `------------------- store -----------------------'
//
// A separate process, "cook serve-remote", speaks to the server: its network libraries use memory
// and threads that the run does not count, and the run survives its hang or crash. A [Client]
// starts it with the first question, so a run without work neither starts it nor connects.
//
// # Actions that other machines cook
//
// A server may have machines that execute actions. Run lets one of them cook an action with
// this program: see [Action] and [Record]. Afterwards the artifacts are in the store. The run
// compares the dependencies in the record with the files here.
//
// # Failure is a miss
//
// No method returns an error. The run cooks every result that does not arrive in time, and passes
// the reason once to the note function of [New]. The first line in each direction has the version
// of the protocol. If serve-remote has another version, dies, prints an invalid answer, or prints
// nothing for half a minute, every later question is a miss, and one note says so.
//
// Package cook/internal/remote/share is the other end of the wire.
package remote
