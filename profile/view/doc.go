// Package view serves a page that shows the measurements of a running program: counters as graphs,
// events as a timeline, memory as a tree. It also shows saved recordings and snapshots.
//
//	http.ListenAndServe("127.0.0.1:7357", view.New(view.Sources{
//		Counters: set, Events: feed, Memory: tracker, Heap: heap.Read,
//	}))
//
// The page is embedded in the package, needs no other server and requests nothing from the network.
// A handler may be mounted below a path with [http.StripPrefix].
//
// # Cost
//
// A View keeps what happened before a page was opened: the history of the counters in up
// to 32 MiB ([counters.Set.WatchAll]), which suffices for 600 frames of 5,000 counters, and the latest
// 64 MiB of events. Other counters have history while a graph or table shows them.
//
// Memory groups are sampled once a second while a page shows them. At most 8 snapshots of a tracker
// are kept, with at most 4 Mi allocations of 40 bytes in total, unless the latest alone has more.
// The oldest snapshot is dropped first. The list of allocations is dropped a minute after its last
// use. The Go heap is read only when a user asks for it or takes a snapshot (package heap).
//
// # Console
//
// The page has a command line with history and completion. [View.Do] executes the same commands
// from the program, for open and future pages.
//
//	graph make NAME                     make a graph
//	graph add NAME COUNTER...           series in it; makes the graph if it does not exist
//	graph add_vector NAME [COUNTER]     add COUNTER/x, COUNTER/y and so on (default COUNTER: NAME)
//	graph range NAME LEAST GREATEST     a fixed scale; "graph range NAME auto" to follow the values
//	graph hide NAME, graph show NAME, graph remove NAME [COUNTER...]
//	print COUNTER...                    print the values of the last frame
//	when COUNTER > NUMBER [for FRAMES] dump DURATION
//	                                    write a recording of that long before and after
//	when, when remove N                 list the conditions, or remove one
//	help
//
// A "*" in COUNTER matches any text. Timers are in milliseconds, and numbers may have units: 33ms.
// Recordings go into Sources.Dumps, at most 32 of them and 1 GiB in total. They contain only
// flushed events ([events.Worker.Flush]), so flush at the end of a frame.
//
// # Access
//
// A request is answered only if its Host is a loopback address of this machine, the address at
// which the request arrived, or one of Sources.Hosts. So a page of another site cannot reach the
// handler through that site's host name. Requests that change something (writing a recording,
// keeping a snapshot) need the token of Sources and must come from the page itself. There is no
// encryption, so listen on loopback.
package view
