package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
)

// A function is a function of package hashing with its names in lists.
type function struct {
	hashing.Func
	tag  string // name in the BSD style: "SHA256"
	mark string // prefix in the plain style: "XXH3_", or nothing
}

// left has the functions of package hashing that are not offered, and why.
var left = map[string]string{
	"maphash": "its sums mean nothing to another process",
	"slice8":  "it gives the sums of crc32-bzip2", // slower, for comparisons
}

// functions holds all other functions. It never changes.
var functions = func() []function {
	var all []function
	for _, name := range hashing.Names() {
		f, ok := hashing.Lookup(name)
		if !ok || left[name] != "" {
			continue
		}
		row := function{Func: f, tag: strings.ToUpper(name)}
		if name == "xxh3" {
			// xxhsum has this prefix since 0.8.2, because XXH64 has as many digits. Older versions
			// read no plain lines of XXH3.
			row.mark = "XXH3_"
		}
		all = append(all, row)
	}
	return all
}()

// untagged has the first function to try for a plain line without -a, by the number of digits.
// Lines of 8, 16 and 32 digits are from xxhsum, which therefore marks XXH3. [checking.second] tries
// the other functions.
var untagged = map[int]string{8: "xxh32", 16: "xxh64", 32: "xxh128", 40: "sha1", 64: "sha256", 128: "sha512"}

// candidates returns the functions with that many digits, the one in untagged first.
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

// lookup returns the function named by -a, a tag or a JSON object, ignoring case, or nil.
func lookup(name string) *function {
	for i := range functions {
		if strings.EqualFold(functions[i].Name, name) {
			return &functions[i]
		}
	}
	return nil
}

// named finds a function like lookup. Its error lists all functions.
func named(name string) (*function, error) {
	if f := lookup(name); f != nil {
		return f, nil
	}
	if why := left[strings.ToLower(name)]; why != "" {
		return nil, fmt.Errorf("%s is not offered here; %s", strings.ToLower(name), why)
	}
	return nil, fmt.Errorf("no function is called %q; the functions are %s", name, listed(functions))
}

// listed joins the names for a message.
func listed(all []function) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return strings.Join(names, ", ")
}
