// Package export writes a recording of events in formats that other programs show:
//
//	.pftrace   Perfetto TrackEvent   ui.perfetto.dev, trace_processor      [WritePerfetto]
//	.json.gz   Chrome trace event    ui.perfetto.dev, speedscope, Tracy    [WriteChrome]
//	.folded    folded stacks         flamegraph.pl, inferno, speedscope    [WriteFolded]
//	.pprof     pprof profile         go tool pprof                         [WritePprof]
//
// The first two are time lines: a row for each worker, on it a slice for each
// scope and a mark for each instant, counters above, arrows for flows. The last two
// are sums: time by stack of scopes. [ByEnding] chooses by a file's name.
//
// # What becomes of an event
//
// A slice is called what it was done to, the event's Detail, and its category says
// what was done, the event's Name; without a Detail the Name is both. So a viewer
// shows assets by name and can still sum by stage. User events are marks that tell
// the number of their bytes. A Value is a counter of its name; a Vector of n numbers
// is the counters name[0] to name[n-1]; Alloc and Free are a counter "name bytes"
// that holds the running sum over all workers. A flow is an arrow from the scope in
// which it left to each scope in which it arrived; where no scope was open, a mark of
// the flow's name stands for one. A flow of which one side is missing is left out.
//
// A scope that has not ended ([Recording.Open]) lasts to the end of the recording, and
// its detail, or name where it has none, is marked "(still open)".
//
// Durations and times are exact to the nanosecond in every format.
//
// # Nesting
//
// The formats want what is on one row to nest. Events of a worker come in order of
// their end, and that order says which of two scopes with equal times is the outer
// one; a mark at the very nanosecond at which a scope begins is in that scope. Scopes
// that overlap without nesting, as the clocks of two processor cores can make them by
// some nanoseconds, are cut until they nest: that is the one case in which a duration
// changes. If times before the recording's beginning occur, all times are moved so
// that the earliest is 0. Times more than 36 years away are brought back to that.
//
// # Names
//
// No viewer can show arbitrary bytes, and some stop at a zero. What is not printable
// in a name is written as Go would escape it: a newline as \n, the byte 0xff as \xff.
// An event without a name is called (unnamed), a flow without one flow. Folded stacks
// are held apart by semicolons, so in them a semicolon of a name is written as a
// colon.
//
// # Memory
//
// An outer scope ends, and so comes, after all that it holds, but has to be written
// before: every function here holds the recording in memory, 40 bytes for each
// event (24 for each number of a counter) and every distinct name once, before it
// writes the first byte. While it gathers them its lists grow, which may take as much
// again. Of a recording that is too large for that, export a part: Events may be any
// selection, as package command does by times.
package export
