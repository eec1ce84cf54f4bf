// Package memory tracks memory by owner: how many bytes, in how many allocations, for
// what, in which scope, and the peak. It suits programs whose memory is in few large buffers,
// such as asset cookers, loaders and file servers, and which can therefore name the
// purpose of each.
//
// Go's heap profile samples, and knows call stacks only. Here every allocation of a
// pool is entered, under names that the program gives:
//
//	group   what a budget is set for: "images", "outputs"
//	name    the pool in the group: "pixels", "mip levels"
//	worker  who allocated
//	scope   what it was allocated for, outermost first: "wall.png;decode"
//
// # Use
//
// A [Tracker] has groups, a [Group] has pools, a [Pool] has [Pool.Bytes] and
// [Pool.Free]. A [Worker] belongs to one goroutine and carries its scopes. Memory
// that others allocate, a decoder's image for instance, is entered by [Group.Grow].
// [Pool.Resize] gives a slice another length, in place if its capacity allows that,
// and [Pool.Retag] makes it another pool's: a buffer that was loaded becomes a texture.
//
// Everything works on nil: a nil Tracker has nil groups, whose nil pools allocate
// with make and enter nothing.
//
// # Reports
//
//	Tracker.Snapshot     sums by group, and by pool, worker and scope; as CSV, JSON, a tree
//	                     with a filter and any order of levels, or the difference to an earlier one and its leaks
//	Tracker.Allocations  each slice that is held: address, size, owner, type and lifetime
//	                     (PoolOptions), call site (Options.Sites); as CSV, JSON, or what is
//	                     new, gone and changed since an earlier list, leaks first
//	Tracker.Usage        bytes, count and their peaks (Options.Totals) by pool and in all,
//	                     what rounding adds, what is kept, what the tables take
//	Tracker.Capture      all three, to be kept in a file: Capture.WriteJSON, ReadCapture
//	Tracker.WriteReport  all of that for people, with what the process uses
//
// They count what is entered: pools, and what the program says by Grow. Of cook itself
// these are the estimates by which recipes are admitted, group "recipes", and what
// recipes say that they hold. Its own buffers come from Go: they end in the hands
// of recipes and libraries, which may keep them.
//
// # Budgets
//
// A group may be a part of another: what it holds counts in that one too, and in
// those above it. Each may have a budget. By default budgets are for reports, which
// say how often they were exceeded. With [GroupOptions].Enforce nothing is handed out
// above them: [Pool.TryBytes] and [Group.TryGrow] return a [*BudgetError] that names the
// group, [Pool.WaitBytes] and [Group.WaitGrow] wait in the order of asking until there
// is room, so that a large request does not starve. Memory that is kept for reuse,
// and what rounding adds, is in no group and in no budget.
//
// Goroutines that hold a part of a budget and wait for more may wait for each other.
// Ask for all that a piece of work needs before it begins. cook admits recipes in
// this way, but with a semaphore of its own: it must do so without a Tracker too,
// when nothing is measured.
//
// # Where the memory comes from
//
// A slice of a pool has a capacity of one of 97 sizes, four to each power of two
// from 64 bytes to 1 GiB; what is larger is exact. From 256 KiB on it is mapped
// from the system, not allocated by Go (except where neither mmap nor
// VirtualAlloc is known): the collector does not see it, and what is unmapped is the
// system's at once. What is given back is kept for the next request of that size,
// whatever the pool, up to [Options.Keep] bytes together: reuse saves the page faults
// of a fresh buffer. Beyond that, memory of other sizes makes room, in turn.
//
// # Finding bad accesses
//
// The price is that of C: a slice that is used after it was freed is another owner's
// memory, or unmapped. With [Options].Stomp each slice has pages of its own, is filled
// with rubbish and is not used again:
//
//	StompOverruns   it ends at an unreadable page: access after the end faults at once,
//	                a write before the start is found by Free
//	StompUnderruns  it begins at an unreadable page: access before the start faults at
//	                once, a write after the end is found by Free
//
// Access after Free faults as long as the pages are kept. [Tracker.Catch] and
// [Tracker.Fault] say for a fault which allocation it was, where it lies to it, and who
// gave it back. Up to 20,000 slices can be protected at a time; those
// beyond are ordinary memory, and [Snapshot].Unprotected and the report count them.
// In a program that is built with -tags guard, StompOverruns is the default: run the
// tests so once.
//
// # Cost and concurrency
//
// A stack of scopes is one number, because equal stacks are one (package intern).
// The worker remembers, for its current scope, the rows that it used last, so that
// entering is three atomic additions: two to the row, one to the group; one more for
// each group above it. Bytes takes one lock of its size in addition, Free that and one of
// the 16 locks that share the table of addresses. The only words that all workers
// write are a group's sum, which budget and peak need, and the sum of what is kept.
// All peaks are exact, those of concurrent changes too.
//
// All tables have a limit. A tracked slice takes 60 to 70 bytes of the table of
// addresses, kept ones included. When it is full, allocations are served by make
// and counted as untracked; when that of the scopes is full, allocations are entered
// under the innermost scope that is known. BenchmarkAccount and BenchmarkPool measure.
//
// # Sources
//
// Tracking by scope with a tool that sums it up is The Machinery's way ("Allocation
// tracking", Our Machinery blog); tags, groups, scope stacks, the comparison of two
// snapshots and a viewer with filters are those of MallocTracker; budgets by group,
// and checking them at any time, were Insomniac's practice on consoles. Pages
// that fault are the stomp allocator of engines.
package memory
