// Package ptrhash hashes pointers. It has Thomas Wang's integer hash functions, and a fixed-size
// table keyed by address.
//
// Addresses are poor hash values. They share their low bits, which alignment makes zero, and their
// high bits, which are the same throughout the heap. The bits in between follow the strides of the
// allocator. A mixing function such as [Wang64] spreads the differences over all bits.
// TestDistribution prints how evenly the functions distribute addresses.
//
// # The table
//
// A [Table] maps an address to a value. It is for programs that track every live object, such as an
// allocation tracker. Its capacity is fixed when it is made, and it allocates nothing afterwards.
//
// In large tables, the cost of a lookup is its cache misses and its mispredicted branches. Linear
// probing causes both: whether the first slot has the key is unpredictable, and an index in the
// slot makes one cache miss wait for another. Here one computation gives the slot of each entry,
// and a lookup compares exactly one key:
//
//	hash   = mix(key)
//	bucket = high bits of hash
//	slot   = low bits of hash + displacement[bucket]
//
// There is one bucket for four slots and one byte of displacement for each bucket, so that the
// displacements stay in a near cache. Keys are separate from values: a failed lookup loads no
// value, and a successful one loads both at once.
//
// An Insert that finds its slot taken searches for a displacement that moves all entries of its
// bucket, about two, to free slots. This is the "hash and displace" of perfect hashing (Pagh, 1999;
// Belazzougui, Botelho and Dietzfelbinger, 2009), applied to one bucket at a time. Insert first
// tries slots near the taken one. A bucket without a suitable displacement becomes a linked list
// until it is empty or an Insert finds a displacement. About one bucket in 400 is a list in a table
// that has long been full.
//
// Delete frees the slot of an entry. There are no tombstones, nothing moves, and the table does not
// degrade. Fast lookups make Insert slower. Replacing an entry of a full table takes as long as in
// a map while the table fits into a cache, and two to three times as long in larger tables.
package ptrhash
