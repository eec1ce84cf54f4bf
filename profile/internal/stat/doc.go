// Package stat summarizes recordings of events: time by scope name, slowest scopes, load of each
// worker, quantities over time and per frame, memory allocated and freed, dropped records and open
// scopes.
//
//	report, err := stat.Summarize(events.Read(file), stat.Options{})
//	report.WriteText(os.Stdout)
//
// # Bounded memory
//
// A recording is read once, from the front. With the default options the memory stays below about
// 50 MiB, however large the recording is:
//
//   - names in excess of [Options.Names] are summed as "(others)"
//   - quantiles come from histograms
//   - time is divided into [Options.Bins] parts that grow with the recording
//   - only the displayed number of slowest scopes is kept
//
// The stream's reader also holds the names, at most as many as the recorder allowed.
//
// # Exactness
//
// Counts, totals, minima and maxima are exact. A quantile differs from the true one by at most 1/32
// (3.2 %), because a histogram has 16 steps for each doubling. A scope's own time is exact if no
// scope has more than 32768 direct children, and if there are no more outermost scopes than that.
// Above that number the oldest scopes are merged. If a scope then begins between two merged scopes,
// the time of one of them counts as its own time.
package stat
