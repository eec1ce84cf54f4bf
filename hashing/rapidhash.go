package hashing

import (
	"hash"

	"github.com/assetcook/assetcook/internal/rapidhash"
)

func rapidhashFunc() Func {
	return Func{
		Name:   "rapidhash",
		Size:   rapidhash.Size,
		Source: "Nicolas De Carli, rapidhash V3, https://github.com/Nicoshev/rapidhash, rapidhash.h, default secret, seed 0",
		Check:  "7e7d033b96b916a1",
		narrow: func(b []byte) Sum128 { return Sum128{Lo: rapidhash.Sum64(b)} },
		word:   rapidhash.Sum64,
		stream: func() hash.Hash { return rapidhash.New(0) },
		seeded: func(seed uint64) (hash.Hash, error) { return rapidhash.New(seed), nil },
	}
}
