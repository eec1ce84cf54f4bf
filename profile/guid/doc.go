// Package guid makes identifiers of 128, 96 or 64 bits that are unique without a registry,
// sort by time, and can be decoded: which machine made one, in which process, when, and as
// which one after others. They are for what outlives a process and is compared with others
// of its kind: runs, recordings, reports.
//
//	id := guid.New()
//	fmt.Println(id)            // 34eq8572hkc005lovh014pt85n
//	fmt.Println(id.Describe()) // 2026-01-02T15:04:05.000006Z #0, machine 5ae3f1, process 4711, random 2a0b7
//
// That a GUID should say where it comes from, in place of 122 random bits, is how game
// engines debug what they find in saved files and logs: the layout follows that idea.
//
// # Layout
//
// An [ID] is 16 bytes, big endian, from its highest bit:
//
//	bits  field
//	52    time: microseconds of Unix time, until the year 2112
//	12    counter: of IDs of this process in one microsecond
//	24    machine: the first bits of SHA-256 over the host's name and /etc/machine-id
//	22    process: the process ID, all that Linux has, of others the low bits
//	18    random: drawn when the process makes its first ID
//
// The text has 26 characters, digits and letters from a to v, which sort as the bytes do
// and mean the same in either case: it fits a URL and the name of a file on any system.
//
// # Short forms
//
// An [ID96] is 12 bytes and an [ID64] is a number, for files and tables in which 16 bytes
// are too many. Both have milliseconds in place of microseconds:
//
//	bits  field of an ID96
//	42    time: milliseconds of Unix time, until the year 2109
//	10    counter: of ID96 of this process in one millisecond
//	18    machine: the first bits of the machine of an ID
//	22    process
//	4     random: the last bits of the random number of an ID
//
//	bits  field of an ID64
//	42    time
//	10    counter: of ID64 of this process in one millisecond
//	12    origin: a sum of machine, process and random number
//
// Their texts have 20 and 13 characters. Choose an ID96 if processes of up to some hundred
// machines make IDs. Choose an ID64 if few processes do: two processes have one origin
// with a probability of 1 in 4096, and then they make equal IDs whenever both make one in
// the same millisecond. An ID64 tells two processes apart but names neither.
//
// # Uniqueness
//
// Within a process time and counter together only grow: when the clock stands still, or is
// set back, they count on from the last ID, and the 4097th of a microsecond takes the next
// one, as the 1025th short ID of a millisecond does. IDs of several goroutines never wait
// for each other and allocate nothing. Go gives threads no identity to put in; the counter
// is one for all. Processes at the same time differ by machine and process ID. One that gets
// the number of an earlier process after the clock was set back, or the number of one in
// another container of the same name, still has to draw the same of 262144 random numbers
// (of 16 for an ID96) and hit the same microsecond.
//
// # What is in it
//
// An ID tells those who have it when it was made and, if they have two, whether one machine
// or process made both. The host's name and number cannot be read from 24 bits of a sum,
// but who guesses them can check the guess. Where that is too much, use random ones.
package guid
