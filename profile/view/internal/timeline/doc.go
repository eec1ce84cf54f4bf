// Package timeline answers a page's queries about a recording of events: windows of the recording
// as spans to draw, sums, search hits, values and levels of memory over time, and differences between two recordings.
//
//	rec := timeline.New(tape)
//	w, err := rec.Window(ctx, from, to, 1920)
//
// # How it works
//
// A recording is indexed once, each block separately, on all cores. In a live recording only new
// blocks are indexed. Records come in the order of their ends, so a scope comes after the scopes
// inside it. The parent of a scope is the next record of its row that does not begin later. A scope
// is called long if it begins before the end of an earlier block, or at that end. The index has all
// long scopes. All other (short) scopes are within the time of their block, and so are their
// parents unless they are long. The depth of a scope is therefore its depth among the short scopes
// of its block, plus the depth of the long scope around it. Both are known without reading other
// blocks.
//
// For each block the index has cells. A cell combines scopes of one depth that are narrower than a
// bin of time. All scopes of a cell are within the same long scopes, so the sums of cells are
// exact. Bins become wider until the total number of cells is small enough. A window whose pixels
// are wider than a bin is drawn from cells. For other windows, the few blocks that they overlap are
// decoded.
package timeline
