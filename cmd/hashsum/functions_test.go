package main

import (
	"strings"
	"testing"

	"github.com/assetcook/assetcook/hashing"
)

// The documented functions exist, each under its name in either case, each with sums that fit into
// a list.
func TestFunctions(t *testing.T) {
	names := strings.Fields(`crc32 crc32c crc32k crc32-bzip2 unreal-memcrc crc64 crc64nvme adler32 fnv1a32 fnv1a64 murmur3-32
		murmur3-128 rapidhash lookup2 xxh32 xxh64 xxh3 xxh128 blake3 sha256 sha512 sha1 md5`)
	for _, name := range names {
		f := lookupFunction(name)
		if f == nil {
			t.Errorf("function %s is missing", name)
			continue
		}
		if lookupFunction(strings.ToUpper(name)) != f || lookupFunction(f.tag) != f {
			t.Errorf("%s is not found by %s or %s", name, strings.ToUpper(name), f.tag)
		}
		if f.Size > len(entry{}.digest) {
			t.Errorf("%s has %d bytes", name, f.Size)
		}
	}
	if len(functions) != len(names) {
		t.Errorf("%d functions, want %d: %s", len(functions), len(names), listNames(functions))
	}
	for digits, name := range untagged {
		if f := lookupFunction(name); f == nil || 2*f.Size != digits || f.mark != "" {
			t.Errorf("%d digits cannot be of %s", digits, name)
		}
	}
	if f := lookupFunction(hashing.Default); f == nil {
		t.Errorf("the default is not a function")
	} else if untagged[2*f.Size] != f.Name {
		t.Errorf("lists of the default function need -a to be checked")
	}
	for name := range left {
		if _, ok := hashing.Lookup(name); !ok || lookupFunction(name) != nil {
			t.Errorf("%s is not left out, or not in the registry", name)
		}
	}
}
