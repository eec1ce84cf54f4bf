package hashing

import (
	"hash"
	"hash/fnv"
)

const fnvSource = "Fowler, Noll, Vo, FNV-1a, RFC 9923, http://www.isthe.com/chongo/tech/comp/fnv/, "

func fnvFuncs() []Func {
	return []Func{
		{
			Name:   "fnv1a32",
			Size:   4,
			Source: fnvSource + "32 bits",
			Check:  "bb86b11c",
			narrow: func(b []byte) Sum128 {
				h := uint32(0x811c9dc5)
				for _, c := range b {
					h = (h ^ uint32(c)) * 0x01000193
				}
				return Sum128{Lo: uint64(h)}
			},
			stream: func() hash.Hash { return fnv.New32a() },
		},
		{
			Name:   "fnv1a64",
			Size:   8,
			Source: fnvSource + "64 bits",
			Check:  "06d5573923c6cdfc",
			narrow: func(b []byte) Sum128 {
				h := uint64(0xcbf29ce484222325)
				for _, c := range b {
					h = (h ^ uint64(c)) * 0x00000100000001b3
				}
				return Sum128{Lo: h}
			},
			stream: func() hash.Hash { return fnv.New64a() },
		},
	}
}
