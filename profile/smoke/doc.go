// Package smoke lets "cook smoke" measure a program. The command runs the program through the same
// steps each time, and records its work, time and allocations. It compares them with an earlier
// record or with another build, so that a performance regression is found before it is merged.
//
// A measurable program marks where its work begins, where each frame ends, and where the work ends:
//
//	set := counters.New(counters.Options{})
//	run := smoke.Start(set)              // nil unless "cook smoke" started this process
//	for range frames {
//		update(set)
//		run.Frame()
//	}
//	run.Item("level1.pak", digest, took) // a file that it made
//	run.Finish()
//
// Measure it with
//
//	cook smoke -program ./game game.toml                        the steps of game.toml
//	cook smoke -program ./game -against ./game.before game.toml two builds in turn
//
// docs/smoke.md describes the step file, the limits and the reports.
//
// # Figures
//
// Counters, calls of timers and digests of items are exact: they are equal in every run of the same
// sources, and any difference is a failure. Allocations of the program's functions may grow by 0.1
// %. Levels that are equal in every execution are compared as well. All other figures only help to
// explain a change: timers, allocations by function, the time of each item.
//
// Exact figures and allocations come from executions on one processor, without garbage collection
// as long as memory suffices, and with every allocation in the profile. Times come from normal
// executions.
//
// # Sources
//
// Deterministic smoke runs with a breakdown by subsystem, high-water marks, spikes and a dashboard
// are from talks on profiling automation in game studios.
package smoke
