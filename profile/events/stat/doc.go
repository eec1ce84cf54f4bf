// Package stat sums up recordings of events: time by name of scope, the slowest
// scopes, how busy each worker was, quantities over time and for each frame, memory
// taken and given back, what was dropped and what was still open.
//
//	report, err := stat.Summarize(events.Read(file), stat.Options{})
//	report.WriteText(os.Stdout)
//
// # Bounded memory
//
// A recording is read once, from the front, and however large it is the memory stays
// below some 50 MiB with the default options: names beyond [Options.Names] are summed
// together as "(others)", quantiles come from histograms, time is divided into
// [Options.Bins] parts that grow with the recording, and of the slowest scopes only so
// many as are shown are kept. (The reader of the stream holds its names besides, at
// most as many as the recorder was allowed.)
//
// # What is exact
//
// Counts, totals, least and greatest are exact. A quantile is within 1/32 of the true
// one (3.2 %): a histogram has 16 steps for each doubling. The time that scopes take
// themselves is exact as long as no more than 32768 scopes lie directly within one, or
// side by side in none; beyond, the oldest are joined, and a scope that begins between
// two that were joined seems to take the time of one of them itself.
package stat
