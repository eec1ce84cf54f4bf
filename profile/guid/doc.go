// Package guid makes identifiers of 128 bits that are unique without a registry and sort by time.
// An identifier can be decoded into the machine, the process, the time and a counter. They identify
// objects that outlive a process, such as runs, recordings and reports.
//
//	id := guid.New()
//	fmt.Println(id)            // 34eq8572hkc005lovh014pt85n
//	fmt.Println(id.Describe()) // 2026-01-02T15:04:05.000006Z #0, machine 5ae3f1, process 4711, random 2a0b7
//
// Some game engines use GUIDs that encode their origin, instead of 122 random bits, to debug saved
// files and logs. The layout follows that idea.
//
// # Layout
//
// An [ID] is 16 bytes, big endian, from its highest bit:
//
//	bits  field
//	52    time: microseconds of Unix time, until the year 2112
//	12    counter: of IDs of this process in one microsecond
//	24    machine: the first bits of SHA-256 over the host's name and /etc/machine-id
//	22    process: the low bits of the process ID; on Linux the whole ID
//	18    random: drawn when the process makes its first ID
//
// The text has 26 characters, digits and letters from a to v. It sorts like the bytes, is
// case-insensitive, and is valid in a URL and as a file name on any system.
//
// # Uniqueness
//
// Within a process, the combination of time and counter always increases. When the clock does not
// advance or is set back, new IDs continue from the last ID. The 4097th ID in a microsecond gets
// the time of the next microsecond. Goroutines that make IDs never wait for each other and allocate
// nothing. All goroutines share one counter, because Go has no thread identity.
//
// Concurrent processes differ by machine and process ID. Two processes may have both in common,
// after the clock was set back or in two containers of the same name. Their IDs are equal only if
// both processes also draw the same one of 262144 random numbers and use the same microsecond.
//
// # Privacy
//
// An ID reveals when it was made. Two IDs reveal whether the same machine or process made both. The
// host's name and machine ID cannot be computed from 24 bits of a hash, but a guess can be checked.
// If that reveals too much, use random identifiers.
package guid
