// Package smoke finds performance regressions before they are merged: it runs a program through
// the same steps each time, writes its work and its costs into a [Record], and compares records.
//
// # In the program
//
// A measurable program marks where its work begins, where each frame ends, and where the work
// ends:
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
// A [Suite] names the steps. A [Runner] starts the program once for each step: twice if only
// exact figures are wanted, and as often as needed if time is measured:
//
//	runner := smoke.Runner{Suite: suite, Dir: dir}
//	now, err := runner.Run(ctx, "./game")                        // one build
//	changes := smoke.Compare(baseline, now)                      // with a stored record
//	changes, err := runner.Against(ctx, "./game.old", "./game")  // two builds in turn
//
// # Limits
//
// The limit of a figure depends on how much it varies between two runs of one build:
//
//	exact         counters, digests of items   any difference
//	allocations   objects and bytes            0.1 % more, and 16 objects or 16 KiB
//	instructions  in user mode, by cachegrind  0.1 % more, and 100,000
//	cpu           time on the processor        1 % more at 1 % error, builds in turn
//
// All other figures are recorded as explanations: timers, allocations by function, instructions
// by function, time of each item. A [Change] names the ones that grew most ([Change.Causes]). One
// figure trips, many explain: a gate on each of a hundred timers would raise a false alarm in
// every run.
//
// A stored time says nothing about today's machine. So processor time is only compared between
// two builds that take turns on the same machine, by the U test of Mann and Whitney, as often as
// their noise demands. A step that trips is measured twice more, and the majority decides. Over
// many records, [History] finds the commit at which a figure changed by e-divisive change points,
// which ignore single outliers.
//
// # Deterministic runs
//
// Exact figures and allocations come from executions with one processor, without garbage
// collection while memory lasts, and with every allocation in the profile. Times come from normal
// executions. A figure that differs between two executions of one build is recorded as unsteady;
// it trips if it is exact in the baseline.
//
// # Sources
//
// Deterministic smoke runs with a breakdown by subsystem, high-water marks, spikes and a
// dashboard are from talks on profiling automation in game studios. Energy statistics and
// e-divisive: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
// Multivariate Data", 2014. U test: Mann and Whitney, "On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other", 1947.
package smoke
