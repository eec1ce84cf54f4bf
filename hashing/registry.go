package hashing

import "slices"

// Default is the name of the function to use when there is no reason for
// another one.
const Default = "xxh128"

// registry holds every function in the order in which Names lists them, the
// default first. It is filled here and never changes.
var registry = complete(slices.Concat(xxhashFuncs(), crc32Funcs(), crc64Funcs(), []Func{adlerFunc()}, fnvFuncs(),
	murmurFuncs(), []Func{rapidhashFunc(), lookup2Func()}, identityFuncs(), brokenFuncs(), []Func{maphashFunc()}))

// complete gives functions that have a sum as a number one as bytes.
func complete(all []Func) []Func {
	for i, f := range all {
		if f.sum == nil {
			all[i].sum = func(b []byte) Sum { return f.narrow(b).sum(f.Size) }
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
