package bench

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// setSize is the number of keys in a set.
const setSize = 1 << 17

// A keySet holds keys of one kind.
type keySet struct {
	name string
	keys [][]byte
}

// keySets returns sets of distinct keys that resemble the keys of programs.
func keySets() []keySet {
	var paths, guids, pointers [][]byte
	for _, name := range Names(setSize) {
		paths = append(paths, []byte(name))
	}
	r := rand.New(rand.NewPCG(6, 0))
	for range setSize {
		var id [16]byte
		binary.LittleEndian.PutUint64(id[:], r.Uint64())
		binary.LittleEndian.PutUint64(id[8:], r.Uint64())
		text := hex.EncodeToString(id[:])
		guids = append(guids, []byte(text[:8]+"-"+text[8:12]+"-"+text[12:16]+"-"+text[16:20]+"-"+text[20:]))
	}
	addresses, _ := Addresses(setSize)
	for _, a := range addresses {
		pointers = append(pointers, binary.LittleEndian.AppendUint64(nil, uint64(a)))
	}
	return []keySet{{"words", words(setSize)}, {"paths", paths}, {"guids", guids}, {"pointers", pointers}}
}

// words returns n distinct words of two to six syllables, with and without suffixes.
func words(n int) [][]byte {
	r := rand.New(rand.NewPCG(5, 0))
	onsets := []string{"b", "br", "c", "ch", "d", "f", "g", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v"}
	vowels := []string{"a", "e", "i", "o", "u", "ea", "ou"}
	ends := []string{"", "", "s", "ed", "ing", "ness", "'s"}
	seen := map[string]bool{}
	list := make([][]byte, 0, n)
	for len(list) < n {
		var w []byte
		for range 2 + r.IntN(5) {
			w = append(w, onsets[r.IntN(len(onsets))]...)
			w = append(w, vowels[r.IntN(len(vowels))]...)
		}
		w = append(w, ends[r.IntN(len(ends))]...)
		if !seen[string(w)] {
			seen[string(w)] = true
			list = append(list, w)
		}
	}
	return list
}

// quality holds the results that RunQuality reports.
type quality struct {
	bias       float64
	dependence float64
	crowding   []float64
	collisions int
}

func measureQuality(r HashRow, sets []keySet) quality {
	q := quality{bias: avalancheBias(r)}
	for _, size := range []int{3, 8, 11, 16} {
		q.dependence = max(q.dependence, pairDependence(r, size))
	}
	const lowBits = 24
	random := float64(setSize) - (1<<lowBits)*(1-math.Pow(1-1.0/(1<<lowBits), setSize))
	sums := make([]uint32, setSize)
	for _, set := range sets {
		for i, key := range set.keys {
			sums[i] = uint32(r.Sum(key))
		}
		q.collisions += repeats(sums)
		for i := range sums {
			sums[i] &= 1<<lowBits - 1
		}
		q.crowding = append(q.crowding, float64(repeats(sums))/random)
	}
	return q
}

// repeats sorts the sums, and returns how many are equal to an earlier one.
func repeats(sums []uint32) (n int) {
	slices.Sort(sums)
	for i := 1; i < len(sums); i++ {
		if sums[i] == sums[i-1] {
			n++
		}
	}
	return n
}

// avalancheBias flips each bit of random 16-byte keys and returns the worst bias.
func avalancheBias(r HashRow) float64 {
	const rounds, size = 1000, 16
	random := rand.New(rand.NewPCG(7, 0))
	worst := 0.0
	key := make([]byte, size)
	for bit := range 8 * size {
		var flips [64]int
		for range rounds {
			binary.LittleEndian.PutUint64(key, random.Uint64())
			binary.LittleEndian.PutUint64(key[8:], random.Uint64())
			before := r.Sum(key)
			key[bit/8] ^= 1 << (bit % 8)
			for diff := before ^ r.Sum(key); diff != 0; diff &= diff - 1 {
				flips[bits.TrailingZeros64(diff)]++
			}
		}
		for _, n := range flips[:r.Bits] {
			worst = max(worst, math.Abs(float64(n)/rounds-0.5))
		}
	}
	return worst
}

// pairDependence returns how strongly two bits of the sum depend on each other when one key bit
// flips. The result is the worst value over all key bits and all pairs of sum bits. It is 0 for
// independent bits, and 1 for bits that always or never change together. The keys are random, and
// each has the given size in bytes.
//
// Hash tables need independent bits: they derive the slot of a key from some bits of the sum, and
// compare other bits before they compare keys. SMHasher calls this measure the bit independence
// criterion.
func pairDependence(r HashRow, size int) float64 {
	const rounds = 1 << 14
	random := rand.New(rand.NewPCG(8, uint64(size)))
	worst := 0
	key := make([]byte, (size+7)/8*8)
	for bit := range 8 * size {
		var differing [64][64]int // number of rounds that changed exactly one bit of a pair
		for range rounds / 64 {
			var changed [64]uint64 // changed[i] has a bit for each of 64 rounds, which is set if bit i of the sum changed
			for round := range 64 {
				for at := 0; at < size; at += 8 {
					binary.LittleEndian.PutUint64(key[at:], random.Uint64())
				}
				before := r.Sum(key[:size])
				key[bit/8] ^= 1 << (bit % 8)
				for diff := before ^ r.Sum(key[:size]); diff != 0; diff &= diff - 1 {
					changed[bits.TrailingZeros64(diff)] |= 1 << round
				}
			}
			for i := range r.Bits {
				for j := range i {
					differing[i][j] += bits.OnesCount64(changed[i] ^ changed[j])
				}
			}
		}
		for i := range r.Bits {
			for _, n := range differing[i][:i] {
				worst = max(worst, n-rounds/2, rounds/2-n)
			}
		}
	}
	return float64(worst) / (rounds / 2)
}
