// Package intern gives names small numbers. A [Table] holds each distinct name
// once, in memory of a size fixed at its making, and knows it by a [Symbol]:
// 32 bits that compare, hash and travel as an integer. It suits names that come
// again and again, as those of counters and assets do.
//
// # Layout
//
// All names lie in one arena, a record each: symbol, length and the bytes. A
// hash table of 64-bit slots leads to the records; a slot is the 32-bit hash of
// a name and the place of its record, so nearly every name that differs is told
// apart before a byte of it is read. A third array leads from symbols to
// records. None of the three holds a pointer, so a garbage collection does not
// look into them, however many names there are.
//
// # Concurrency
//
// All methods may be called from any number of goroutines. One mutex lets one
// writer in at a time. Readers take no lock and write nothing: a record is
// complete before the atomic store that makes its slot lead to it, and neither
// changes afterwards.
//
// # Frozen
//
// A table that has got its names can be made into a [Frozen]: read only, smaller,
// without a second string to compare, and at the same time the flat block in
// which it is saved. Symbols keep their numbers.
//
// None of the hashes resists an opponent. Names chosen to collide make a table
// slow, linear in their number at worst, but not wrong.
package intern
