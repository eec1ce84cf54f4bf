// Command nullrun measures runs of cook over trees of different sizes, most of them with little
// or no work, and compares them with lower bounds and with other tools.
//
//	go run ./bench/nullrun [flags]
//
//	-files N,N         sizes of the trees (10000,100000)
//	-runs N            measured rounds of each row (9)
//	-within DURATION   begin no further round of a row after this time, if 3 have been measured
//	-rows REGEXP       only the rows whose names match
//	-threads N         threads of the limits (one for each CPU)
//	-verify-bytes N    sources and outputs of the tree for -verify (2 GiB); 0 leaves the row out
//	-all               include peers that take minutes to set up a million files
//	-cook FILE         a built cook to measure (default: built from this module)
//	-work DIR          where the trees are made (default: the temporary directory)
//	-keep              keep the trees
//	-o FILE            the report (default: standard output)
//	-svg FILE          a chart of time and memory over the number of files, for several -files
//	-simulate N        instead of trees, measure an index of N assets, of which a thousand are files
//
// # Contests
//
// A row of the report is a contest: in each round every contestant runs once, in turn, so that a
// slow period of the machine affects all of them. The report has the median of each, and the
// median and quartiles of the per-round ratios to the row's reference. A run is a whole process
// from fork to exit, with a warm page cache; the time from a save to its artifact is measured in
// this process. There is one warm-up round, with two exceptions: rounds of the row that changes
// one file begin with an uncounted run, and rows that make all outputs have none. Edits, and
// removing outputs for those rows, take place between the runs.
//
// Every run is checked: if it exits with an error, or its last line is not the expected one, the
// row is reported as an error.
//
// # Trees
//
// Sources are small files of 20 to 199 bytes, a hundred per directory, two levels deep, with the
// recipe copy. For the row that reads all contents they have about 3.9 KB, 250 per directory.
// Their mtime is an hour ago. The ctime cannot be set, so after each change the command waits
// until cook can trust the stamps.
//
// # Limits
//
// The programs in limits do only the unavoidable work: they map a list of known names and stat
// (statknown) or read (readall) each file, directory by directory, in inode order. They exist in
// C, if there is a compiler, and in Go (golimit).
//
// # Growth
//
// With several sizes, the report ends with the factors by which the medians grow, and -svg draws
// them. Runs that look at every file should grow like the number of files; runs that look at one
// should not grow.
//
// # Simulation
//
// With -simulate the index describes a large tree, but only one in ten of its directories exists.
// A run's work on the index, its memory and its system calls are as for a real tree; the kernel's
// work for them is less, because it meets few inodes.
//
// # Peak memory
//
// The reported peak memory of a process is at least its parent's, so contestants are started by a
// copy of this command that does nothing else. A process smaller than the copy is reported with
// the few MiB of the copy.
//
// Exit status: 0 success, 1 some row failed, 2 usage, 130 interrupted.
package main
