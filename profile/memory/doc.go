// Package memory tracks memory by owner: how many bytes, in how many blocks, for what, in
// which scope, and the peak. It suits programs whose memory is in few large buffers, such as
// asset cookers, loaders and file servers, and which can therefore name the purpose of each.
//
// Go's heap profile samples, knows call stacks and nothing else. Here every
// allocation of a pool is entered, under names that the program gives:
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
// [Pool.Retag] makes it another pool's: a buffer that was loaded becomes a texture.
// What is held can be looked at at any time as a [Snapshot]: as rows, as CSV, as
// JSON, as a [Node] tree with a [Filter], and as the difference to an earlier one,
// whose [Snapshot.WriteLeaks] names what is left that should not be.
//
// [Tracker.Allocations] lists each slice that is held: address, size, owner, type and
// lifetime as [PoolOptions] give them, and with [Options.Sites] the line of the program
// that asked for it. [Allocations.Sub] says what is new, gone or changed since an
// earlier list, and [Changes.WriteText] names the leaks first, by line.
//
// [Tracker.Usage] is the whole: bytes, count and, with [Options.Totals], their peaks, by
// pool and in all; what rounding to sizes adds, what is kept, and what tracking takes.
// [Tracker.WriteReport] writes all of that for people, with what the process uses.
//
// Everything works on nil: a nil Tracker has nil groups, whose nil pools allocate
// with make and enter nothing.
//
// # Where the memory comes from
//
// A slice of a pool has a capacity of one of 97 sizes, four to each power of two
// from 64 bytes to 1 GiB; what is larger is exact. From 256 KiB on it is mapped
// from the system, not allocated by Go (except where neither mmap nor
// VirtualAlloc is known), so that it neither is garbage nor lets garbage wait,
// and what is unmapped is the system's at once. What is given back is kept for the
// next who asks for the size, whatever the pool, up to [Options.Keep] bytes
// together; reuse spares the page faults that make a fresh buffer dear. Beyond
// that, memory of other sizes makes room, in turn.
//
// The price is that of C: a slice that is used after it was freed is another owner's
// memory, or unmapped. Built with -tags guard, each slice ends at a page that
// cannot be read, is filled with rubbish, and faults when it is used after Free;
// a write just before its start is found by Free. Nothing is used again then. Run
// the tests so once.
//
// # Cost and concurrency
//
// A stack of scopes is one number, because equal stacks are one (package intern).
// The worker remembers, for its current scope, the rows that it used last, so that
// entering is three atomic additions: two to the row, one to the group. Bytes takes
// one lock of its size in addition, Free that and one of the 16 locks that share
// the table of addresses. The only words that all workers write are
// a group's sum, which budget and peak need, and the sum of what is kept. All
// peaks are exact, those of concurrent changes too.
//
// All tables have a limit. A tracked slice takes 60 to 70 bytes of the table of
// addresses, kept ones included. When it is full, allocations are served by make
// and counted as untracked; when that of the scopes is full, allocations are entered
// under the innermost scope that is known.
// BenchmarkAccount and BenchmarkPool measure.
//
// # Budgets
//
// A group may be a part of another: what it holds counts in that one too, and in
// those above it. Each may have a budget. By default budgets are for the report, which
// says how often they were exceeded. With [GroupOptions].Enforce nothing is handed out
// above them: [Pool.TryBytes] and [Group.TryGrow] return a [*BudgetError] that names the
// group, [Pool.WaitBytes] and [Group.WaitGrow] wait in the order of asking until there
// is room, so that a large request does not starve. Memory that is kept for reuse,
// and what rounding adds, is in no group and in no budget.
//
// Each wait takes a budget as a whole, so goroutines that hold a part of it and wait for
// another may wait for each other. Ask for all of a piece of work before it begins.
// cook admits recipes in this way, by their estimates, but with a semaphore of its own,
// because it must do so when nothing is measured and there is no Tracker.
//
// # Sources
//
// Tracking by scope with a tool that sums it up is The Machinery's way ("Allocation
// tracking", Our Machinery blog); tags, groups, scope stacks, the comparison of two
// snapshots and a viewer with filters are those of MallocTracker; budgets by group,
// and checking them at any time, were Insomniac's practice on consoles. Pages
// that fault are the stomp allocator of engines.
package memory
