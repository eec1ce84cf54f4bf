// Package intern maps names to small integers. A [Table] holds each distinct name once, in memory
// of fixed size, and identifies it by a [Symbol]: 32 bits that compare, hash and travel as an
// integer. It suits names that occur repeatedly, such as names of counters and assets.
//
// # Layout
//
// All names are in one arena, each in a record: symbol, length, bytes. The hash table consists of
// groups of eight positions. A group has one word with a tag of seven hash bits for each
// position, and the offsets (places) of the eight records in the arena. A lookup compares all
// tags of a group at once and nearly always reads only the record of the name. A third array maps
// symbols to records. None of the three arrays holds pointers, so the garbage collector does not
// scan them, however many names there are.
//
// # Concurrency
//
// All methods may be called from any number of goroutines. One mutex admits one writer at a time.
// Readers take no lock and write nothing: a writer completes a record and its place before it
// publishes them with an atomic store of the tags, and never changes them afterwards.
//
// # Saving
//
// [Table.Freeze] makes a read-only table of the exact size. [Table.MarshalBinary] saves such a
// table as a block of the same layout, which [Open] uses in place, for instance in a mapped file.
// Symbols keep their numbers. Open verifies every byte of a block, so the block may come from an
// untrusted source.
//
// # Hostile names
//
// Each table hashes with a random seed, so an attacker cannot choose colliding names. A frozen
// table stores its seed; Freeze picks a seed for which its names do not collide, and Open refuses
// a block whose lookups could take long. The published hashes that Config offers have no seed: a
// table with such a hash becomes slow, but not wrong, if names are chosen to collide.
package intern
