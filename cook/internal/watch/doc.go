// Package watch keeps an output folder up to date, and lets cooks of the same folder
// ask how they would end instead of looking at the tree themselves.
//
// # Rounds
//
// A round is a pass (package pass) that looks only where package notify reports that
// something may have changed. After each round the watcher learns from the pass which
// folders there are, and watches those that are new; since anything may have been done by
// way of them before they were watched, the next round looks everywhere. When no more
// events come, the watcher waits.
//
// # Saves
//
// A round begins when a save looks complete, or has taken longer than saves usually do: a removed
// file may come back, and an open file may be half written. A new failure waits as long. If the
// source or a dependency changes meanwhile, the old output stays, and the next round cooks the
// asset again.
//
// # What no event shows
//
// Some folders are looked at in every round: those with links, whose targets may change
// anywhere, and those with files that have several names (hard links), because a write
// is reported only for the name that it goes through. A file that comes with a second
// name makes the next round look everywhere, which finds the first; so does one that came
// and went between two rounds. Mounts, the two
// root folders and the programs that PATH leads to are compared before each round. The
// rest (writes through a mapping that stays open, other hosts, names outside the tree)
// is found by a look at everything from time to time: the less often, the longer it takes.
//
// # Answers
//
// A cook asks at the socket in the state folder (package peer). Its question holds all
// that decides what its pass would do, so that it is answered only by a watcher that
// would do the same. Before it answers, the watcher takes the events that have come and
// does the rounds that they call for.
package watch
