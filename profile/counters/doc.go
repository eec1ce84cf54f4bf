// Package counters counts and times the work of a program. It is cheap enough to stay switched on.
// It shows how many files or bytes were processed, how often and how long, in total and for each of
// the last frames.
//
// A [Set] returns permanent handles by name: a [Counter] for integers, a [Float] for sums of
// float64 values, a [Timer] for durations, a [Gauge] for levels. A program that keeps a handle
// never looks up the name again.
//
//	set := counters.New(counters.Options{})
//	drawn := set.Counter("scene/drawn")
//	drawn.Add(12)                    // any goroutine may add
//
// # Workers
//
// An atomic addition takes several times as long as a plain one, and far longer when goroutines
// contend for the variable. A goroutine that counts often should use a [Worker] and add through
// plain pointers that never move:
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
// Readers do not see these counts until [Worker.Flush] publishes them. Flush at a natural boundary,
// such as the end of a task or frame. A flush never waits: it leaves its sums in a mailbox, which
// readers empty.
//
// # Frames
//
// [Set.PushFrame] closes a frame. Each name's sum since the previous frame becomes its value in
// this frame, and the next frame starts at zero; totals continue. History is kept only for watched
// names ([Set.Watch]). It takes 8 bytes per frame and name. A frame is one contiguous row of
// memory, and closing it skips counters that have not changed.
//
// [Set.Table] reads the history, all of it or only new frames, and prints it as a table or CSV.
// [Set.WatchDetail] also keeps calls and extremes of timers, for [Set.TimerHistory].
// [Set.LastFrame] returns the values of all names in the last frame, watched or not. [Summarize]
// computes the maximum, percentiles and spikes of a series. An [EMA] averages values as they
// arrive.
//
// # Levels
//
// A frame does not reset a [Gauge]. Its history holds the levels at the ends of frames. To poll
// levels use [Set.Source]. Package process has a source for figures of the process, and package
// profile has one for the groups of a memory tracker.
//
// # Time
//
// Where the processor has a counter with a constant rate, timers read it, which takes less than
// half the time of reading the runtime's clock. Timers sum ticks of that counter. The ticks are
// converted to nanoseconds when a timer is read, or when its frame ends and goes into the history.
// The rate comes from comparing the counter with the monotonic clock at [New] and at the reading.
// One second after New, the rate's error is below 1e-7, and the rate stays fixed from then on, so
// that a sum never decreases. One millisecond after New, the error may be one part in ten thousand.
// [Timer.Record] takes nanoseconds and keeps them exactly.
//
// Scopes of one worker nest. A timer's own time is its total minus the time of the scopes inside
// it.
//
// # Reading
//
// [Set.Snapshot] returns the values of all names, sorted by name. [Snapshot.Sub] is the difference
// between two snapshots. A snapshot prints itself as a table, CSV, JSON and in the text format of
// Prometheus. A *Set is an expvar.Var.
//
// A nil *Set gives nil handles and a nil *Worker, which record nothing; each call costs one
// comparison.
//
// # Background
//
// The Machinery's "Recording Statistics" describes counters as pointers that are looked up once,
// frames that are pushed, and history memory for watched counters only. "Game Profiling 102"
// describes categories with calls, total, shortest and longest, and a history of 600 frames.
// Seeding a moving average with its first value instead of zero comes from a post on moving
// averages. Rows instead of rings, lines instead of single values, and the mailboxes are new in
// this package.
package counters
