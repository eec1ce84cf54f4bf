// Package timeline answers what a page asks about a recording of events: windows of it as
// spans to draw, sums, hits of a search, values over time, and what differs between two.
//
//	rec := timeline.New(tape)
//	w, err := rec.Window(ctx, from, to, 1920)
//
// # How it works
//
// A recording is indexed once, each block by itself, on all cores; of one that is still
// written only what is new. Records come in the order of their ends, so a scope comes after
// those within it: its parent is the next record of its row that begins no later. A scope
// that begins no later than the ends of the blocks before is long. The index has all long
// scopes. Others lie within the time of their block, and so do those that hold them, but for
// long ones. So the depth of a scope is its depth among the others of its block, plus that of
// the long scope around it, and both are known without any other block.
//
// Of each block the index has cells: scopes of one depth narrower than a bin of time,
// joined. A cell lies within the same long scopes as a whole, so the sums of cells are exact.
// Bins grow until all cells together are few enough. A window whose pixels are wider than a
// bin is drawn from cells; others decode the blocks that they overlap, which are few.
package timeline
