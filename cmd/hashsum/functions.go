package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// A function is a row of hashing's registry with what lists call it.
type function struct {
	hashing.Func
	tag  string // of the BSD style: "SHA256"
	mark string // before the digits of the plain style: "XXH3_", or nothing
}

// left are functions of the registry that have no place in lists, and why.
var left = map[string]string{
	"maphash": "its sums mean nothing to another process",
	"slice8":  "it gives the sums of crc32-bzip2", // slowly, for comparisons
}

// functions holds all the others. It never changes.
var functions = func() []function {
	var all []function
	for _, name := range hashing.Names() {
		f, ok := hashing.Lookup(name)
		if !ok || left[name] != "" {
			continue
		}
		row := function{Func: f, tag: strings.ToUpper(name)}
		if name == "xxh3" {
			// As xxhsum has it since 0.8.2: XXH64 has as many digits. Older ones
			// read no plain lines of XXH3.
			row.mark = "XXH3_"
		}
		all = append(all, row)
	}
	return all
}()

// untagged says of which function a plain line without -a is in the first place,
// by its digits. Those of 8, 16 and 32 digits are xxhsum's, which marks XXH3 for
// that reason. [checking.settle] tries the others with as many digits.
var untagged = map[int]string{8: "xxh32", 16: "xxh64", 32: "xxh128", 40: "sha1", 64: "sha256", 128: "sha512"}

// candidates returns the functions that a line of so many digits may be of, that
// of untagged first.
func candidates(digits int) []*function {
	var all []*function
	for i := range functions {
		if f := &functions[i]; 2*f.Size == digits {
			all = append(all, f)
		}
	}
	if i := slices.Index(all, lookup(untagged[digits])); i > 0 {
		f := all[i]
		copy(all[1:i+1], all[:i])
		all[0] = f
	}
	return all
}

// lookup returns the function that -a, a tag or a JSON object names, in upper
// or lower case, or nil.
func lookup(name string) *function {
	for i := range functions {
		if strings.EqualFold(functions[i].Name, name) {
			return &functions[i]
		}
	}
	return nil
}

// named is lookup with an error that lists what there is.
func named(name string) (*function, error) {
	if f := lookup(name); f != nil {
		return f, nil
	}
	if why := left[strings.ToLower(name)]; why != "" {
		return nil, fmt.Errorf("%s is not offered here; %s", strings.ToLower(name), why)
	}
	return nil, fmt.Errorf("no function is called %q; there are %s", name, listed(functions))
}

// listed returns the names for a message.
func listed(all []function) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return strings.Join(names, ", ")
}
