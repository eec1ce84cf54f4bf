// Package ptrhash hashes pointers: Thomas Wang's integer hash functions, and a
// fixed-size table keyed by address.
//
// Addresses are bad hash values. They share their low bits, which alignment
// makes zero, and their high bits, which the heap gives to all; what lies
// between has the strides of the allocator. A mixing function ([Wang64] and its
// kin) spreads the difference over all bits. TestDistribution prints how well.
//
// # The table
//
// A [Table] maps an address to a value for those who must know something of
// every living object, an allocation tracker above all. It is made for a number
// of entries and allocates nothing afterwards.
//
// At the sizes where it matters, a lookup costs what its cache misses and its
// mispredicted branches cost. Probing makes both: whether the first slot is the
// right one is a toss that no processor can predict, and an index in the slot
// makes one miss wait for another. So each entry lies where one
// computation says that it lies, and a lookup compares exactly one key:
//
//	hash   = mix(key)
//	bucket = high bits of hash
//	slot   = low bits of hash + displacement[bucket]
//
// There is one bucket for four slots and one byte of displacement for a bucket,
// so that the displacements stay in a near cache. Keys lie apart from values: a
// miss loads no value, and a hit loads both at once. An Insert that finds its
// slot taken looks for a displacement that puts all entries of its bucket, about
// two, on free slots: the "hash and displace" of perfect hashing (Pagh, 1999;
// Belazzougui, Botelho and Dietzfelbinger, 2009), one bucket at a time. The
// slots that it tries are neighbors of the taken one. A bucket for which there
// is none, one of 400 in a table that has long been full, becomes a linked list
// until it is empty or an Insert finds one for it.
//
// Deleting an entry frees its slot: there are no tombstones, nothing moves and
// nothing wears out. Insert pays for the lookups: replacing an entry of a full
// table costs what it costs in a map as long as the table fits a cache, and two
// to three times as much beyond.
package ptrhash
