package bench

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Bytes returns n random bytes, the same in every run.
func Bytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b) // never fails
	return b
}

// Names returns n distinct names like those in asset trees and counters, 12 to 40 bytes long.
func Names(n int) []string {
	folders := strings.Fields("characters vehicles terrain weapons effects menus levels props")
	things := strings.Fields("knight wagon cliff sword spark button castle barrel statue river")
	kinds := strings.Fields(".png _albedo.png _normal.tga .gltf .ogg .vert/calls /bytes /ms")
	r := rand.New(rand.NewPCG(1, uint64(n)))
	names := make([]string, n)
	for i := range names {
		name := folders[r.IntN(len(folders))] + "/" + things[r.IntN(len(things))]
		if r.IntN(2) == 0 {
			name += "_" + things[r.IntN(len(things))]
		}
		names[i] = name + strconv.Itoa(i) + kinds[r.IntN(len(kinds))]
	}
	r.Shuffle(n, func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// Draws returns n random names of a list. They have their own memory, as if read from a file, so
// that no comparison ends early at equal pointers.
func Draws(names []string, n int) []string {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	drawn := make([]string, n)
	for i := range drawn {
		drawn[i] = names[r.IntN(len(names))]
	}
	text := strings.Join(drawn, "")
	for i, s := range drawn {
		drawn[i], text = text[:len(s)], text[len(s):]
	}
	return drawn
}

// Addresses returns n different addresses like a heap's, runs of one object size in pages of 8
// KiB, and n others between them. Both are in random order.
func Addresses(n int) (in, between []uintptr) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	for page := uintptr(0xc0000000); len(in) < n; page += 8 << 10 {
		size := uintptr(16) << r.IntN(5)
		for at := page; at < page+8<<10 && len(in) < n; at += size {
			in, between = append(in, at), append(between, at+8)
		}
	}
	for _, keys := range [][]uintptr{in, between} {
		r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	return in, between
}

// repeated returns the keys in random order, each equally often, at least Stream in all. It drops
// the few beyond a multiple of Chunk.
func repeated(keys []uintptr) []uintptr {
	r := rand.New(rand.NewPCG(4, uint64(len(keys))))
	stream := slices.Repeat(keys, (Stream+len(keys)-1)/len(keys))
	r.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
	return stream[:len(stream)/Chunk*Chunk]
}
