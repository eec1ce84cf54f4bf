package hashing

import (
	"encoding/hex"
	"io"
	"slices"
)

// Default is the name of the function to use when there is no reason for
// another one.
const Default = "xxh3"

// Func is one checksum function of the registry.
type Func struct {
	Name   string // as Lookup takes it
	Size   int    // bytes of the sum, 1 to 16
	Source string // the paper or specification that defines it
	Check  Sum128 // the sum of the nine bytes "123456789"

	New func() Hash         // a fresh streaming hash
	Sum func([]byte) Sum128 // one shot; equal to New, Write, Sum128
}

// Hex returns s in as many lower-case hex digits as the function has.
func (f Func) Hex(s Sum128) string {
	b := s.Bytes()
	return hex.EncodeToString(b[len(b)-f.Size:])
}

// Hash is a running checksum. Write never returns an error and never keeps p.
// Sum128 does not change the state, so that writing may go on after it. A Hash
// belongs to one goroutine at a time.
type Hash interface {
	io.Writer
	Sum128() Sum128
	Reset()
}

// registry holds every function in the order in which Names lists them, the
// default first. It is filled here and never changes.
var registry = slices.Concat(xxhashFuncs(), crcFuncs(), murmurFuncs())

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
