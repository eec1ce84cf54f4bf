package hashing

import (
	"hash"

	"github.com/assetcook/assetcook/internal/lookup2"
)

func lookup2Func() Func {
	stream := func(seed uint32) hash.Hash { return lookup2.New(seed) }
	return Func{
		Name:   "lookup2",
		Size:   lookup2.Size,
		Source: "Bob Jenkins, A Hash Function for Hash Table Lookup, 1996, https://www.burtleburtle.net/bob/hash/evahash.html, initial value 0",
		Check:  "4bf83526",
		narrow: func(b []byte) Sum128 { return Sum128{Lo: uint64(lookup2.Sum32(b, 0))} },
		stream: func() hash.Hash { return stream(0) },
		seeded: seeded32(stream),
	}
}
