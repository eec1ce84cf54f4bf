// Package ptrhash hashes pointers: Thomas Wang's integer hash functions, and a fixed-size table
// keyed by address.
//
// Addresses are bad hash values. They share their low bits, which alignment makes zero, and their
// high bits, which the heap has in common; the bits between have the strides of the allocator. A
// mixing function ([Wang64] and its kin) spreads the differences over all bits. TestDistribution
// prints how well.
//
// # The table
//
// A [Table] maps an address to a value. It is for programs that track every live object, such as
// an allocation tracker. It is made for a number of entries and allocates nothing afterwards.
//
// In large tables, the cost of a lookup is its cache misses and its mispredicted branches.
// Probing causes both: whether the first slot is the right one is unpredictable, and an index in
// the slot makes one cache miss wait for another. So one computation gives the slot of each
// entry, and a lookup compares exactly one key:
//
//	hash   = mix(key)
//	bucket = high bits of hash
//	slot   = low bits of hash + displacement[bucket]
//
// There is one bucket for four slots and one byte of displacement per bucket, so that the
// displacements stay in a near cache. Keys are separate from values: a failed lookup loads no
// value, and a successful one loads both at once. An Insert that finds its slot taken searches a
// displacement that puts all entries of its bucket, about two, on free slots. This is the "hash
// and displace" of perfect hashing (Pagh, 1999; Belazzougui, Botelho and Dietzfelbinger, 2009),
// one bucket at a time. The slots that it tries are neighbors of the taken one. A bucket without
// a suitable displacement, one of 400 in a table that has long been full, becomes a linked list
// until it is empty or an Insert finds a displacement.
//
// Deleting an entry frees its slot: there are no tombstones, nothing moves and the table does not
// degrade. Insert pays for the lookups: replacing an entry of a full table costs as much as in a
// map while the table fits a cache, and two to three times as much beyond.
package ptrhash
