// Package execute carries a plan out: it brings results back from the store or cooks
// them, and puts them in place. It is the only stage that cooks or writes artifacts.
//
// # The life of an action
//
//	planned -> up to date                       nothing differs
//	        -> known  -> ready -> placed        restored: the content came from elsewhere
//	        |                                   unchanged: it was in place all the time
//	        -> ready           -> placed        cooked, or unchanged: an input changed,
//	                                            the artifacts did not
//	        -> failed                           and so does whatever cannot be planned
//
// Each state is a type, and each arrow a method that takes one state and returns the
// next (life.go), so that nothing can be placed that is not complete.
//
// Every artifact is made as a scratch file below the output folder's .cook and renamed
// into place when it is complete, so it is never seen half written. Sources and
// dependencies are looked at again after cooking; if one of them changed, the result
// is thrown away.
//
// # The order
//
// Workers take actions from a queue: what is on the longest way to the end of the run
// first (schedule.go). Bundles are made of what other actions make, as far as patterns
// choose it. An action is settled when it has made that, or failed to, and a bundle can
// begin when all is settled that it asks for. What it will ask for is known from last
// time, or it asks and begins again (queue.go).
//
// What a server is asked about is in the queue when its answer has come. A worker that has
// nothing else to begin does not wait for that longer than cooking takes (await.go).
//
// # Artifacts that nothing claims
//
// Artifacts that no action claims any more are first set aside in .cook/trash, where an
// action of the same ID may take them, and deleted at the end. If the run is killed in
// between, they are missing and the index still names them, which the next run mends.
package execute
