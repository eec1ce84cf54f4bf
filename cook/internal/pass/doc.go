// Package pass brings an output directory up to date with a tree of assets:
//
//	s     := session.Open      directories, lock, clock; immutable
//	last  := s.LoadIndex       the index of the last run
//	delta := changes.Find      the differences, and the sources that they concern
//	todo  := todo.Make         the work, with a reason for each action; pure in package plan
//	work  := Execute           the only stage that cooks or writes artifacts
//	         commit.Commit     manifest, one sync, index
//
// There is one way through these stages. In a first run everything differs, in a no-op run
// nothing does, and a watcher's round knows where to look. A dry run ends before it writes. Each
// stage returns its result as a value, so the pass gives a step up by dropping the value.
package pass
