// Package smoke finds performance regressions before they are merged: it runs a program
// through the same steps each time, writes what it did and what that cost into a
// [Record], and compares records.
//
// # In the program
//
// A program that can be measured says where its work begins, where a frame of it ends,
// and where it ends:
//
//	set := counters.New(counters.Options{})
//	run := smoke.Start(set)              // nil unless a Runner started this process
//	for range frames {
//		update(set)
//		run.Frame()
//	}
//	run.Item("level1.pak", digest, took) // a thing it made
//	run.Finish()
//
// # Outside
//
// A [Suite] names the steps, a [Runner] starts the program once for each, twice over
// where only exact figures are wanted and as often as needed where time is measured:
//
//	runner := smoke.Runner{Suite: suite, Dir: dir}
//	now, err := runner.Run(ctx, "./game")                        // one build
//	changes := smoke.Compare(baseline, now)                      // with a stored record
//	changes, err := runner.Against(ctx, "./game.old", "./game")  // two builds in turn
//
// # What trips
//
// How figures are compared depends on how much they vary between two runs of one build:
//
//	exact         counters, digests of items   any difference
//	allocations   objects and bytes            0.1 % more, and 16 objects or 16 KiB
//	instructions  in user mode, by cachegrind  0.1 % more, and 100,000
//	cpu           time on the processor        1 % more at 1 % error, builds in turn
//
// Everything else is recorded to explain: timers, allocations by function, instructions
// by function, time of each item. A [Change] names those that grew most ([Change.Causes]).
// One figure trips, many explain: a gate on each of a hundred timers would raise a
// false alarm in every run.
//
// A stored time says nothing about today's machine. Processor time is therefore only
// ever compared between two builds that take turns on the same machine, by the U test
// of Mann and Whitney, as often as their noise demands; what trips is measured twice
// more, and the majority decides. Over many records, [History] finds the commit at which
// a figure changed by e-divisive change points; a single outlier is none.
//
// # Deterministic runs
//
// Exact figures and allocations are taken from executions with one processor, without
// garbage collection as long as memory lasts, and with every allocation in the profile;
// times from executions as users have them. A figure that differs between two
// executions of one build is not exact: it is recorded as unsteady, and a baseline in
// which it was exact trips.
//
// # Sources
//
// Deterministic smoke runs with a breakdown by subsystem, high-water marks, spikes and a
// dashboard are from talks on profiling automation in game studios. Energy statistics and
// e-divisive: Matteson and James, "A Nonparametric Approach for Multiple Change Point
// Analysis of Multivariate Data", 2014. U test: Mann and Whitney, "On a Test of Whether
// one of Two Random Variables is Stochastically Larger than the Other", 1947.
package smoke
