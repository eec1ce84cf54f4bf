// Package execute carries out a plan: it restores the results of actions or cooks them, and
// has them placed. It is the only stage that cooks or writes artifacts.
//
// # The life of an action
//
//	late    -> planned                      decided, once its inputs are made
//	planned -> up to date                   nothing differs
//	        -> known -> ready -> placed     restored: the content came from elsewhere
//	        |                               unchanged: the content was in place
//	        -> ready          -> placed     cooked, or unchanged: an input changed,
//	                                        the artifacts did not
//	        -> failed                       also if the action cannot be planned
//
// [lookup.Known] and [cookone.Ready] are types, so that no artifact is placed that is not
// complete (action.go). The plan does not change: a [Result] has the action as it was
// carried out.
//
// # The order
//
// Workers take actions from a queue. Actions on the longest way to the end of the run come
// first (schedule.go). Bundles are made of the artifacts of other actions. An action is
// settled when it has made its artifacts or failed to, and a bundle can begin when all
// actions are settled whose artifacts it asks for. Its questions are known from last time,
// or it asks and begins again (queue.go).
//
// # The server
//
// A [Remote] brings the results of other machines. Without one, a run has a nil Remote, and
// waits for nothing but its own workers (remote.go).
package execute
