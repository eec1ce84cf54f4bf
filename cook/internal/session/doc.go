// Package session opens the directories that a pass works on.
//
// A [Session] holds the options, the asset directory, the output directory with its state and
// lock, the clock, and the fingerprint: a hash of everything that decides about the whole tree
// for any target. Once [Open] and [Session.Lock] have returned, no field of a session changes.
// [Session.Asking] and [Session.Following] return changed copies.
//
// The package also reads what every pass starts from: the index of the last run
// ([Session.LoadIndex]) and the rule files of a tree ([Session.CompileRules]).
package session
