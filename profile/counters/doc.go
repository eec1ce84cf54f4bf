// Package counters counts and times the work of a program, cheaply enough to stay switched on:
// how many files, how many bytes, how often and how long, in total and for each of the last
// frames.
//
// A [Set] hands out permanent handles by name: a [Counter] for whole numbers, a [Float] for sums
// of float64, a [Timer] for durations, a [Gauge] for levels. With a handle, a program never looks
// up the name again.
//
//	set := counters.New(counters.Options{})
//	drawn := set.Counter("scene/drawn")
//	drawn.Add(12)                    // from any goroutine
//
// # Workers
//
// An atomic addition costs several times as much as a plain one, and far more when goroutines
// compete for it. A goroutine that counts often takes a [Worker] and adds through plain pointers
// that never move:
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
// Readers do not see these numbers until [Worker.Flush] publishes them, best at a natural
// boundary: a task done, a frame drawn. A flush never waits: it leaves its sums in a mailbox,
// which readers empty.
//
// # Frames
//
// [Set.PushFrame] closes a frame. Each name's sum since the previous frame becomes its value in
// this frame, and the next frame starts at zero; totals continue. History is kept only for
// watched names ([Set.Watch], [Set.Unwatch]). It takes 8 bytes per frame and name, and a frame is
// one row of memory; untouched counters are not visited.
//
// [Set.Table] reads the history, all of it or only new frames, and prints it as a table or CSV.
// [Set.WatchDetail] also keeps calls and extremes of timers, for [Set.TimerHistory].
// [Set.LastFrame] has all names as of the last frame, watched or not. [Summarize] reduces a
// series to its high water, percentiles and spikes; an [EMA] takes values
// one by one.
//
// # Levels
//
// A frame does not reset a [Gauge]. Its history holds the levels at the ends of frames. To poll a
// level use [Set.Func] for one gauge, or [Set.Source] for a function that sets several handles.
// Package process has a source with figures of the process, and package profile one with the
// groups of a memory tracker.
//
// # Time
//
// Timers read the processor's own counter where it runs at a constant rate, at less than half the
// cost of the runtime's clock. They sum ticks. Ticks are converted when a timer is read, or when
// its frame ends and goes into the history. The rate comes from comparing the counter with the
// monotonic clock at [New] and at the reading. One second after New its error is below 1e-7, and
// it stays fixed from then on, so that a sum never runs backwards. One millisecond after New it
// may be wrong by one part in ten thousand. [Timer.Record] takes nanoseconds and keeps them
// exactly.
//
// Scopes of one worker nest. A timer's own time is its total minus the time of the scopes inside
// it.
//
// # Reading
//
// [Set.Snapshot] holds all names, sorted. [Snapshot.Sub] is the difference between two snapshots.
// A snapshot prints itself as a table, CSV, JSON and in the text format of Prometheus. A *Set is
// an expvar.Var.
//
// A nil *Set gives nil handles and a nil *Worker. They record nothing, at the cost of a
// comparison.
//
// # Background
//
// The Machinery's "Recording Statistics" has the counter as a pointer that is looked up once, the
// frame that is pushed, and memory for history only for watched counters. "Game Profiling 102"
// has categories with calls, total, shortest and longest and 600 frames of them. The moving
// average that is seeded with its first value instead of zero comes from a post on moving
// averages. Rows instead of rings, lines instead of single values, and the mailboxes are this
// package's own.
package counters
