package ptrhash

// Wang32 mixes 32 bits so that each bit of the key changes about half of the result's bits. It is a
// bijection: different keys have different results.
//
// It is Thomas Wang's hash32shiftmult with one multiplication (Integer Hash Function, version 3.1,
// March 2007).
func Wang32(key uint32) uint32 {
	key = key ^ 61 ^ key>>16
	key += key << 3
	key ^= key >> 4
	key *= 0x27d4eb2d
	key ^= key >> 15
	return key
}

// Wang64 mixes 64 bits. It is a bijection, and is Thomas Wang's hash64shift (Integer Hash Function,
// version 3.1).
func Wang64(key uint64) uint64 {
	key = ^key + key<<21
	key ^= key >> 24
	key += key<<3 + key<<8
	key ^= key >> 14
	key += key<<2 + key<<4
	key ^= key >> 28
	key += key << 31
	return key
}

// Wang64to32 mixes 64 bits into 32, which are enough for the index of a slot. It is Thomas Wang's
// hash6432shift (Integer Hash Function, version 3.1).
func Wang64to32(key uint64) uint32 {
	key = ^key + key<<18
	key ^= key >> 31
	key *= 21
	key ^= key >> 11
	key += key << 6
	key ^= key >> 22
	return uint32(key)
}
