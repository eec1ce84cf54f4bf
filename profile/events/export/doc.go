// Package export converts a recording of events to formats of other programs:
//
//	.pftrace   Perfetto TrackEvent   ui.perfetto.dev, trace_processor
//	.json.gz   Chrome trace event    ui.perfetto.dev, speedscope, Tracy
//	.folded    folded stacks         flamegraph.pl, inferno, speedscope
//	.pprof     pprof profile         go tool pprof
//
// The first two formats are timelines. They have a row for each worker, with a slice for each scope
// and a mark for each instant, and also counters and arrows for flows. The last two are sums: time
// by stack of scopes. [ByEnding] returns the function that writes a format.
//
// # Mapping of events
//
// The title of a slice is the event's Detail, the object of the work. Its category is the event's
// Name, the kind of work. Without a Detail, the Name is both title and category. So a viewer shows
// assets by name, and can still sum by stage.
//
//   - User events are marks that show the number of their bytes.
//   - A Value is a counter with its name; a Vector of n numbers is n counters, name[0] to
//     name[n-1].
//   - Alloc and Free are a counter "name bytes" with the running sum over all workers.
//   - A flow is an arrow from the scope that it leaves to each scope in which it arrives. Where
//     no scope is open, a mark with the flow's name replaces the scope. A flow with only one
//     end is omitted.
//   - A scope that has not ended ([Recording.Open]) lasts to the end of the recording, and
//     its detail, or its name without a detail, is marked "(still open)".
//
// Durations and times are exact to the nanosecond in every format.
//
// # Nesting
//
// The formats require the slices of a row to nest. Events of a worker come in the order of their
// ends, and that order decides which of two scopes with equal times is the outer one. A mark at the
// nanosecond of a scope's start is in that scope. Scopes may overlap by some nanoseconds without
// nesting, if the clocks of two processor cores disagree. Such scopes are shortened until they
// nest; durations do not change otherwise. If there are times before the recording's beginning, all
// times are shifted so that the earliest is 0. Times more than 36 years away are clamped to 36
// years.
//
// # Names
//
// No viewer can show arbitrary bytes, and some stop at a zero byte. Unprintable characters in a
// name are escaped as in Go: a newline as \n, the byte 0xff as \xff. An event without a name is
// called (unnamed), a flow without a name flow. Folded stacks use semicolons as separators, so a
// semicolon in a name is written as a colon in that format.
//
// # Memory
//
// A stream lists an outer scope after everything inside it, because the scope ends last. The output
// must list the outer scope first. So every function of this package holds the whole recording in
// memory before it writes the first byte: 40 bytes for each event (24 for each number of a counter)
// and every distinct name once. Growing lists may take the same amount again. If a recording is too
// large, export a part of it: [Recording].Events may be any selection, such as the time range that
// package command offers.
package export
