package hashing

import (
	"encoding/binary"
	"slices"
)

// Default is the name of the function to use without a reason for another one.
const Default = "xxh128"

// registry holds every function in the order of Names, the default first. It never changes.
var registry = complete(slices.Concat(xxhashFuncs(), crc32Funcs(), crc64Funcs(), []Func{adlerFunc()}, fnvFuncs(),
	murmurFuncs(), []Func{rapidhashFunc(), lookup2Func()}, identityFuncs(), brokenFuncs(), []Func{maphashFunc()}))

// complete derives the missing ways to get a sum as a number. A function provides narrow if its
// sums have at most 16 bytes, and otherwise sum.
func complete(all []Func) []Func {
	for i := range all {
		f := &all[i]
		sum, narrow, name, size := f.sum, f.narrow, f.Name, f.Size
		if narrow == nil {
			f.narrow = func([]byte) Sum128 {
				panic("hashing: Sum128 of " + name + ", whose sums have more than 16 bytes")
			}
			f.word = func(b []byte) uint64 {
				var buf [maxSize]byte
				return binary.BigEndian.Uint64(sum(b).Append(buf[:0])[size-8:])
			}
			continue
		}
		if f.word == nil {
			f.word = func(b []byte) uint64 { return narrow(b).Lo }
		}
	}
	return all
}

// Lookup returns the function of that name.
func Lookup(name string) (Func, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return registry[i], true
		}
	}
	return Func{}, false
}

// Names returns the names of all functions, the default first.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}
