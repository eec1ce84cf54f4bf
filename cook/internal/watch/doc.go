// Package watch keeps an output directory up to date. A cook of the same directory asks the
// watcher for its result instead of looking at the tree.
//
// # Rounds
//
// A round is a pass (package pass) that looks only at directories with events (package notify).
// After each round the watcher learns the directories of the pass and watches the new ones.
// Before that, files may have changed through a new directory unseen, so the next round looks
// everywhere. When no more events come, the watcher waits.
//
// # Saves
//
// A round begins when a save looks complete, or has taken longer than saves usually do: a removed
// file may come back, and an open file may be half written. A new failure waits as long. If the
// source or a dependency changes meanwhile, the old output stays, and the next round cooks the
// asset again.
//
// # Changes without events
//
// Each round looks at some directories even without events: directories with links, whose
// targets may change anywhere, and directories with hard links, because a write is reported only
// for one name of the file. A file that comes with a second name makes the next round look
// everywhere, which finds the first name; so does a file that came and went between two rounds.
// Before each round the watcher compares mounts, the two root directories and the programs that
// PATH leads to. Other changes (writes through a mapping that stays open, other hosts, names
// outside the tree) show in a look at everything from time to time: less often if it takes
// longer.
//
// # Answers
//
// A cook asks at the socket in the state directory (package peer). Its question holds everything
// that decides about its pass, so that only a watcher whose pass would do the same answers it.
// Before the answer, the watcher takes all events and does the rounds for them.
package watch
