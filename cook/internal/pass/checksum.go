package pass

import (
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// checksums are the values of Options.Checksum with the names that the registry and the
// index have for them, the default first. Here xxh3 always was the one of 128 bits: at
// 64 bits a change in a set of millions is missed too often to be called never.
var checksums = [...]struct{ name, function string }{
	{"xxh3", "xxh128"},
	{"xxh64", "xxh64"},
	{"crc32", "crc32"},
	{"crc32c", "crc32c"},
	{"murmur3", "murmur3-128"},
	{"slice8", "slice8"},
	{"xxh128", "xxh128"},
	{"murmur3-128", "murmur3-128"},
}

// Checksums lists the values of Options.Checksum, the default first.
func Checksums() (names []string) {
	for _, c := range checksums {
		names = append(names, c.name)
	}
	return names
}

// checksum returns the function that a value of Options.Checksum stands for.
func checksum(name string) (hashing.Func, error) {
	if name == "" {
		name = checksums[0].name
	}
	for _, c := range checksums {
		if c.name == name {
			f, _ := hashing.Lookup(c.function)
			return f, nil
		}
	}
	return hashing.Func{}, configError("unknown checksum %q; have %s", name, strings.Join(Checksums(), ", "))
}
