// Package view serves a page that shows what a program measures, while it runs: counters
// as graphs, events as a time line, memory as a tree. It also shows recordings and
// snapshots that were kept.
//
//	http.ListenAndServe("127.0.0.1:7357", view.Handler(view.Sources{
//		Counters: set, Events: feed, Memory: tracker,
//	}))
//
// The page is embedded in the package, needs no other server and asks for nothing from
// the network. A handler may be mounted below a path with [http.StripPrefix].
//
// # Cost
//
// What no page looks at costs nothing: a counter has history while a graph or table shows
// it ([counters.Set.Watch]), and events are kept from the first request of a page on,
// the latest 64 MiB.
//
// Of memory the groups are sampled once a second while a page shows them. A page keeps at
// most 8 snapshots of a tracker, with together at most 4 Mi allocations of 40 bytes unless
// the latest alone has more; the oldest goes. What the list of allocations shows is dropped a minute after its last use.
//
// # Console
//
// The page has a line for commands with history and completion; [View.Do] gives the same
// commands from the program, to pages that are open and to those that come.
//
//	graph make NAME                     a graph
//	graph add NAME COUNTER...           series in it; the graph is made if there is none
//	graph add_vector NAME [COUNTER]     COUNTER/x, COUNTER/y and so on; COUNTER is NAME unless given
//	graph range NAME LEAST GREATEST     a fixed scale; "graph range NAME auto" to follow the values
//	graph hide NAME, graph show NAME, graph remove NAME [COUNTER...]
//	print COUNTER...                    the values of the last frame
//	when COUNTER > NUMBER [for FRAMES] dump DURATION
//	                                    write a recording of that long before and after
//	when, when remove N                 list the conditions, remove one
//	help
//
// A "*" in COUNTER stands for any text. Timers are in milliseconds, and numbers may have
// units: 33ms. Recordings go into Sources.Dumps: at most 32 of them and 1 GiB in all. They
// have what workers have flushed ([events.Worker.Flush]), so flush at the end of a frame.
//
// # Who may see it
//
// Requests are answered that name this machine's loopback addresses, the address that they
// came to, or one of Sources.Hosts: a page of another site cannot reach the handler by a
// name of its own. Requests that act (writing a recording, keeping a snapshot) need the
// token of Sources and come from the page itself. There is no encryption: listen on
// loopback.
package view
