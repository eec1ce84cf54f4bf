package hashing

import "slices"

// Default is the name of the function to use when there is no reason for
// another one.
const Default = "xxh128"

// registry holds every function in the order in which Names lists them, the
// default first. It is filled here and never changes.
var registry = complete(slices.Concat(xxhashFuncs(), crc32Funcs(), []Func{crc64Func(), adlerFunc()}, fnvFuncs(),
	murmurFuncs(), []Func{lookup2Func()}, identityFuncs(), brokenFuncs(), []Func{maphashFunc()}))

// complete derives the ways to get a sum that a function does not give itself. A
// function gives narrow if its sums have at most 16 bytes, and otherwise sum.
func complete(all []Func) []Func {
	for i, f := range all {
		if f.sum == nil {
			all[i].sum = func(b []byte) Sum { return f.narrow(b).sum(f.Size) }
		}
		if f.narrow == nil {
			all[i].narrow = func([]byte) Sum128 {
				panic("hashing: Sum128 of " + f.Name + ", whose sums have more than 16 bytes")
			}
		}
		switch {
		case f.Size > 8:
			all[i].word = func([]byte) uint64 {
				panic("hashing: Sum64 of " + f.Name + ", whose sums have more than 8 bytes")
			}
		case f.word == nil:
			all[i].word = func(b []byte) uint64 { return f.narrow(b).Lo }
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
