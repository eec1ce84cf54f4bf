// Package memory tracks memory by owner: bytes, number of allocations, purpose, scope and peak. It
// suits programs that keep their memory in few large buffers and can name the purpose of each
// buffer, such as asset cookers, loaders and file servers.
//
// Go's heap profile samples allocations and identifies them by call stack only. This package
// records every allocation of a pool, under names that the program chooses:
//
//	group   the unit of budgets: "images", "outputs"
//	name    the pool in the group: "pixels", "mip levels"
//	worker  the allocating worker
//	scope   the object of the work, outermost first: "wall.png;decode"
//
// # Use
//
// A [Tracker] has groups, a [Group] has pools, a [Pool] has [Pool.Bytes] and [Pool.Free]. A
// [Worker] belongs to one goroutine and carries its scopes. [Group.Grow] records memory allocated
// elsewhere, for instance a decoder's image. [Pool.Resize] changes the length of a slice, in place
// if its capacity allows. [Pool.Retag] moves a slice to another pool, for example when a loaded
// buffer becomes a texture.
//
// All methods accept nil receivers: a nil Tracker has nil groups, whose nil pools allocate with
// make and record nothing.
//
// # Reports
//
//	Tracker.Snapshot     sums by group, and by pool, worker and scope; as CSV, JSON, a tree
//	                     with filters and any order of levels (Query), or the difference to
//	                     an earlier one and its leaks; also the bytes freed so far by row
//	Tracker.List         each slice that is held: address, size, owner, type and lifetime
//	                     (PoolOptions), call site (Options.Sites); as CSV, or leaked, new, gone
//	                     and changed ones since an earlier list
//	Tracker.Usage        bytes, count and their peaks (Options.Totals) by pool and in total,
//	                     rounding, memory kept for reuse, size of the tables
//	Tracker.Capture      all three, to be kept in a file: Capture.WriteJSON, ReadCapture
//	Tracker.WriteReport  all of that as text, with the memory use of the process
//
// The reports count recorded memory only: pools, and memory that the program reports with Grow. In
// cook itself, this is the memory that recipes report and, in the group "recipes", the estimates by
// which recipes are admitted. cook allocates its own buffers from Go, because recipes and libraries
// receive them and may keep them.
//
// # Budgets
//
// A group may be part of another group: its memory also counts in its parent, and in all groups
// that enclose the parent. Each group may have a budget. By default budgets are for reports, which
// show how often they were exceeded. With [GroupOptions].Enforce no allocation exceeds the budget:
// [Pool.TryBytes] and [Group.TryGrow] return a [*BudgetError] that names the group.
// [Pool.WaitBytes] and [Group.WaitGrow] wait, in the order of requests, until there is room, so
// that a large request does not starve. Memory kept for reuse and rounding count in no group and no
// budget.
//
// Goroutines that hold a part of a budget and wait for more may deadlock. Request all memory of a
// task before the task begins. cook admits recipes in this way, but with its own semaphore, because
// it must also admit recipes when nothing is measured and there is no Tracker.
//
// # Origin of the memory
//
// The capacity of a slice from a pool is one of 97 sizes, four to each power of two from 64 bytes
// to 1 GiB; larger capacities are exact. Slices of 256 KiB and more are mapped from the system, not
// allocated by Go (except on systems without mmap and VirtualAlloc). The garbage collector does not
// see this memory, and unmapping returns it to the system at once. Freed memory is kept for the
// next request of the same size, in any pool, up to a total of [Options.Keep] bytes: reuse saves
// the page faults of a fresh buffer. Above that limit, memory of other sizes is released, one size
// after the other.
//
// # Finding bad accesses
//
// As in C, using a slice after it was freed is an error: its memory may belong to another owner or
// be unmapped. [Options].Stomp finds such errors. Each slice then has pages of its own, is filled
// with 0xA5 bytes and is not reused:
//
//	StompOverruns   it ends at an unreadable page: access after the end faults at once,
//	                and Free finds a write before the start
//	StompUnderruns  it begins at an unreadable page: access before the start faults at
//	                once, and Free finds a write after the end
//
// An access after Free faults as long as the pages are kept. [Tracker.Catch] describes a fault: the
// allocation, the position of the address relative to it, and the worker that freed it. Up to
// 20,000 slices can be protected at a time; further slices are ordinary memory, counted in
// [Snapshot].Unprotected and the report. In a program built with -tags guard, StompOverruns is the
// default, so that tests can be run with it once.
//
// # Cost and concurrency
//
// A stack of scopes is represented by one number, because equal stacks are interned (package
// intern). The worker caches the rows that its current scope used last, so that recording takes
// three atomic additions: two to the row and one to the group, and one more for each enclosing
// group. Freeing takes one more, for the bytes freed so far. Bytes also takes the lock of its size class. Free takes that lock and one of the 16 locks
// that share the table of addresses. The only words that all workers write are a group's sum, which
// the budget and the peak need, and the sum of memory kept for reuse. All peaks are exact, even
// under concurrent changes.
//
// All tables have a size limit. A tracked slice, in use or kept, takes 60 to 70 bytes of the table
// of addresses. When that table is full, allocations use make and count as untracked. When the
// table of scopes is full, allocations are recorded under the innermost known scope.
// BenchmarkAccount and BenchmarkPool measure these costs.
//
// # Sources
//
// Tracking by scope, with a tool that sums the allocations, follows The Machinery ("Allocation
// tracking", Our Machinery blog). Tags, groups, scope stacks, the comparison of two snapshots and a
// viewer with filters come from MallocTracker. Budgets by group, checked at any time, were
// Insomniac's practice on consoles. Pages that fault on access come from the stomp allocators of
// game engines.
package memory
