// Command nullrun measures how long cook takes where there is little or nothing
// to do, beside what bounds it and beside other tools that decide the same.
//
//	go run ./bench/nullrun [flags]
//
//	-files N,N         sizes of the trees (10000,100000)
//	-runs N            measured rounds of each row (9)
//	-rows REGEXP       only the rows whose names match
//	-threads N         threads of the limits (one for each CPU)
//	-verify-bytes N    sources and outputs of the tree for -verify (2 GiB); 0 leaves the row out
//	-all               also peers that take minutes to set up a million files
//	-cook FILE         a built cook to measure (default: built from this module)
//	-work DIR          where the trees are made (default: the temporary folder)
//	-keep              leave them there
//	-o FILE            the report (default: standard output)
//
// # Contests
//
// A row of the report is a contest: in each round every contestant runs once, in
// turn, so that a slow minute of the machine counts for all. What is reported is
// the median of each, and the median and quartiles of the ratios of the single
// rounds to the row's reference. A run is a whole process from fork to exit,
// everything in the page cache. One round before the measured ones is not
// counted, but for the row that changes one file, each round of which begins
// with a run that is not counted.
//
// Every run is checked: if it exits with an error, or its last line does not say
// what the row is about, the row is an error and not a figure.
//
// # Trees
//
// Sources are small files of 20 to 199 bytes, a hundred in a folder, two levels
// deep, which cook.toml has copied; their mtime is an hour back. Nobody can set
// ctime, so after each change the command waits until cook may trust the stamps.
//
// # Limits
//
// limits holds programs that do what cannot be left out, and nothing else: they
// map a list of known names and stat (statknown) or read (readall) each, folder
// by folder, in the order of the inodes. They exist in C, compiled if there is a
// compiler, and in Go (golimit).
//
// # Peak memory
//
// A process that is started by a larger one inherits the peak of its parent, so
// contestants are started by a copy of this command that does nothing else; what
// is smaller than that copy shows as the copy's few MiB.
//
// Exit status: 0 fine, 1 a row or more failed, 2 usage, 130 interrupted.
package main
