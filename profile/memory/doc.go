// Package memory tracks memory by owner: bytes, number of allocations, purpose, scope and peak.
// It suits programs whose memory is in few large buffers, such as asset cookers, loaders and file
// servers, which can name the purpose of each buffer.
//
// Go's heap profile samples, and knows call stacks only. This package records every allocation of
// a pool, under names from the program:
//
//	group   the unit of budgets: "images", "outputs"
//	name    the pool in the group: "pixels", "mip levels"
//	worker  the allocating worker
//	scope   the object of the work, outermost first: "wall.png;decode"
//
// # Use
//
// A [Tracker] has groups, a [Group] has pools, a [Pool] has [Pool.Bytes] and [Pool.Free]. A
// [Worker] belongs to one goroutine and carries its scopes. [Group.Grow] enters memory allocated
// elsewhere, for instance a decoder's image. [Pool.Resize] changes the length of a slice, in
// place if its capacity allows, and [Pool.Retag] moves it to another pool: a loaded buffer
// becomes a texture.
//
// Everything works on nil: a nil Tracker has nil groups, whose nil pools allocate with make and
// record nothing.
//
// # Reports
//
//	Tracker.Snapshot     sums by group, and by pool, worker and scope; as CSV, JSON, a tree
//	                     with a filter and any order of levels, or the difference to an earlier one and its leaks
//	Tracker.Allocations  each slice that is held: address, size, owner, type and lifetime
//	                     (PoolOptions), call site (Options.Sites); as CSV, JSON, or new, gone
//	                     and changed ones since an earlier list, leaks first
//	Tracker.Usage        bytes, count and their peaks (Options.Totals) by pool and in total,
//	                     rounding, memory kept for reuse, size of the tables
//	Tracker.Capture      all three, to be kept in a file: Capture.WriteJSON, ReadCapture
//	Tracker.WriteReport  all of that for people, with the memory use of the process
//
// They count recorded memory only: pools, and memory that the program reports by Grow. In cook
// itself these are the estimates by which recipes are admitted, group "recipes", and memory that
// recipes report. Its own buffers come from Go: recipes and libraries receive them and may keep
// them.
//
// # Budgets
//
// A group may be a part of another: its memory also counts in its parent, and in the groups
// above. Each may have a budget. By default budgets are for reports, which show how often they
// were exceeded. With [GroupOptions].Enforce no allocation exceeds them: [Pool.TryBytes] and
// [Group.TryGrow] return a [*BudgetError] that names the group; [Pool.WaitBytes] and
// [Group.WaitGrow] wait, in the order of requests, until there is room, so that a large request
// does not starve. Memory kept for reuse, and rounding, is in no group and in no budget.
//
// Goroutines that hold a part of a budget and wait for more may deadlock. Request all memory of a
// task before it begins. cook admits recipes in this way, but with its own semaphore: it must do
// so without a Tracker too, when nothing is measured.
//
// # Origin of the memory
//
// A slice of a pool has a capacity of one of 97 sizes, four to each power of two from 64 bytes to
// 1 GiB; larger ones are exact. From 256 KiB on, memory is mapped from the system, not allocated
// by Go (except on systems without mmap and VirtualAlloc). The collector does not see it, and
// unmapping returns it to the system at once. Freed memory is kept for the next request of the
// same size, in any pool, up to a total of [Options.Keep] bytes: reuse saves the page faults of a
// fresh buffer. Above that limit, memory of other sizes is released, in turn.
//
// # Finding bad accesses
//
// The price is the same as in C: a slice used after it was freed is another owner's memory, or
// unmapped.
// With [Options].Stomp each slice has pages of its own, is filled with rubbish and is not used
// again:
//
//	StompOverruns   it ends at an unreadable page: access after the end faults at once,
//	                and Free finds a write before the start
//	StompUnderruns  it begins at an unreadable page: access before the start faults at
//	                once, and Free finds a write after the end
//
// Access after Free faults as long as the pages are kept. [Tracker.Catch] and [Tracker.Fault]
// describe a fault: the allocation, the position of the address relative to it, and the worker
// that freed it. Up to 20,000 slices can be protected at a time; further ones are ordinary
// memory, counted by [Snapshot].Unprotected and the report. In a program built with -tags guard,
// StompOverruns is the default: run the tests once with it.
//
// # Cost and concurrency
//
// A stack of scopes is one number, because equal stacks are one (package intern). The worker
// remembers the rows that its current scope used last, so that recording takes three atomic
// additions: two to the row, one to the group; one more for each group above it. Bytes also takes
// one lock of its size. Free takes that lock and one of the 16 locks that share the table of
// addresses. The only words that all workers write are a group's sum, which budget and peak need,
// and the sum of memory kept for reuse. All peaks are exact, even under concurrent changes.
//
// All tables have a limit. A tracked slice, in use or kept, takes 60 to 70 bytes of the table of
// addresses. When that table is full, allocations use make and count as untracked. When the table
// of scopes is full, allocations are recorded under the innermost known scope. BenchmarkAccount
// and BenchmarkPool measure.
//
// # Sources
//
// Tracking by scope with a tool that sums it up is The Machinery's way ("Allocation tracking",
// Our Machinery blog). Tags, groups, scope stacks, the comparison of two snapshots and a viewer
// with filters come from MallocTracker. Budgets by group, checked at any time, were Insomniac's
// practice on consoles. Pages that fault are the stomp allocator of engines.
package memory
