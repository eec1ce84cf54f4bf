// Package smokerun runs a program through a fixed sequence of steps. It records work and resource
// usage in a [Record], and compares records. It implements "cook smoke"; the measured program uses
// package profile/smoke.
//
// A [Suite] defines the steps. A [Runner] starts a process for each step. It runs each step twice
// if only exact figures are measured, and as often as needed if time is measured:
//
//	runner := smokerun.Runner{Suite: suite, Dir: dir}
//	now, err := runner.Run(ctx, "./game")                        // one build
//	changes, err := smokerun.Compare(baseline, now)              // compares with a stored record
//	found, err := runner.Against(ctx, "./game.old", "./game")    // two builds in turn
//
// # Limits
//
// A comparison fails if a figure differs by more than its limit. The limit depends on how much the
// figure varies between two runs of one build:
//
//	exact         counters, digests of items   any difference
//	allocations   objects and bytes            0.1 % more, and 16 objects or 16 KiB
//	instructions  in user mode, by cachegrind  0.1 % more, and 100,000
//	cpu           time on the processor        1 % more at 1 % error, builds in turn
//
// All other figures are recorded as explanations: timers, allocations by function, instructions by
// function, and the time of each item. A [Change] lists the figures that grew most
// ([Change.Causes]). These figures cannot fail a comparison themselves, because limits on a hundred
// timers would cause a false alarm in every run.
//
// Processor time is only compared between two builds that are measured alternately on the same
// machine, because a stored time does not apply to another day or machine. The number of
// measurements depends on the noise. The test is the U test of Mann and Whitney. A step that trips
// is measured twice more, and the majority counts. Over many records, [History] finds the commit
// that changed a figure. It uses e-divisive change points, which ignore single outliers.
//
// # Deterministic runs
//
// Exact figures and allocations are measured with one processor, and with every allocation in the
// profile. The garbage collector runs only if memory gets short. Times are measured in normal
// executions. A figure that differs between two executions of one build is recorded as unsteady.
// The comparison fails if such a figure is exact in the baseline.
//
// # Sources
//
// Energy statistics and e-divisive: Matteson and James, "A Nonparametric Approach for Multiple
// Change Point Analysis of Multivariate Data", 2014. U test: Mann and Whitney, "On a Test of
// Whether one of Two Random Variables is Stochastically Larger than the Other", 1947.
package smokerun
