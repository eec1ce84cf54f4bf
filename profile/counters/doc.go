// Package counters counts and times what a program does, cheaply enough to stay
// switched on: how many files, how many bytes, how often and how long, since the
// beginning and for each of the last frames.
//
// A [Set] hands out permanent handles by name: a [Counter] for whole numbers, a
// [Float] for sums of float64, a [Timer] for durations, a [Gauge] for levels. With a
// handle, a program never looks up the name again.
//
//	set := counters.New(counters.Options{})
//	drawn := set.Counter("scene/drawn")
//	drawn.Add(12)                    // from any goroutine
//
// # Workers
//
// An atomic addition costs several times what a plain one does, and many times that
// when goroutines compete for it. A goroutine that counts a lot takes a [Worker] and
// adds through plain pointers that never move:
//
//	w := set.Worker()
//	defer w.Release()
//	files, bytes := w.Int(set.Counter("scan/files")), w.Int(set.Counter("scan/bytes"))
//	for _, f := range list {
//		*files++
//		*bytes += f.Size
//	}
//	w.Flush()                        // publish
//
// Those numbers are not visible to readers until [Worker.Flush] publishes them, best at a
// natural boundary: a task done, a frame drawn. A flush never waits: it leaves its sums in a
// mailbox, which readers empty.
//
// # Frames
//
// [Set.PushFrame] closes a frame. What was counted since the last one becomes the
// frame's value and starts again at zero; the total goes on. History is kept only of
// names that are watched ([Set.Watch], [Set.Unwatch]): 8 bytes a frame for each, and one
// row of memory to write a frame; counters that were not touched are not visited.
// [Set.Table] reads it, all of it or what is new, and prints it as a table and CSV.
// [Set.WatchDetail] keeps calls and extremes of timers too, for [Set.TimerHistory].
// [Set.LastFrame] has all names as of the last frame, watched or not. [Summarize] reduces
// a series to its high water, percentiles and spikes; its parts [EMA], [SMA], [HighWater]
// and [Spikes] take values one by one.
//
// # Levels
//
// A [Gauge] is not reset by a frame, and its history is of the levels at the ends of
// frames. A level that some function knows is polled: [Set.Func] for one gauge,
// [Set.Source] for a function that sets several handles. Package process has a source of
// the figures of the process, and profile.Probe one of the groups of a memory tracker.
//
// # Time
//
// Timers read the processor's own counter where that runs at a constant rate, which
// costs less than half of what the runtime's clock does, and add up its ticks; they are
// converted when they are read, or when their frame ends and goes into the history. The
// rate comes from comparing that counter with
// the monotonic clock at [New] and at the reading; one second after New it is good to
// 1e-7 and is held from then on, so that a sum never runs backwards. A reading one
// millisecond after New may be wrong by one part in ten thousand. [Timer.Record] takes
// nanoseconds and keeps them exactly.
//
// Scopes of one worker nest. A timer's own time is what is left of its total without
// the scopes inside it.
//
// # Reading
//
// [Set.Snapshot] is everything, sorted by name; [Snapshot.Sub] is what happened between
// two of them. A snapshot prints itself as a table, CSV, JSON and in the text format
// of Prometheus. A *Set is an expvar.Var.
//
// A nil *Set gives nil handles and a nil *Worker, and those record nothing, at the
// cost of a comparison.
//
// # Background
//
// The Machinery's "Recording Statistics" has the counter as a pointer that is looked
// up once, the frame that is pushed, and memory for history only for watched counters.
// "Game Profiling 102" has categories with calls, total, shortest and longest and 600
// frames of them. The moving average that is seeded with its first value
// instead of zero comes from a post on moving averages; rows instead of rings, lines
// instead of single values and the mailboxes are this package's own.
package counters
