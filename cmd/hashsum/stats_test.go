package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/hashing"
)

// The test compares probability with published 0.05 quantiles of chi-squared, and checks the
// symmetry for large degrees of freedom.
func TestProbabilityMatchesQuantiles(t *testing.T) {
	for _, tt := range []struct {
		chains []int // numbers of keys in at least two bins, for chiSquared
		chi, p float64
	}{
		{[]int{0, 0, 0, 0, 0, 2}, 0, 1},
		{[]int{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 10, 0.0015654},
		{[]int{0, 0, 0, 1, 0, 0, 0, 1}, 1.6, 0.2059032},
		{[]int{2, 0, 0, 0, 0, 0, 1}, 12, 0.0024788},
		{[]int{0, 1, 1, 1}, 1, 0.6065307},
		{[]int{10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10}, 100, 5.35556e-13},
	} {
		d := distribution{chains: tt.chains}
		for n, bins := range tt.chains {
			d.bins += bins
			d.keys += n * bins
		}
		if got := d.chiSquared(); math.Abs(got-tt.chi) > 1e-9 {
			t.Errorf("%v: chi-squared %v, want %v", tt.chains, got, tt.chi)
		}
		if got := d.probability(); math.Abs(got-tt.p) > 1e-4*tt.p {
			t.Errorf("%v: p %v, want %v", tt.chains, got, tt.p)
		}
	}
}

// For a good hash function, keys must look random in any number of bins. For a poor function, they
// must not.
func TestGoodFunctionLooksRandom(t *testing.T) {
	keys := make([]string, 20_000)
	for i := range keys {
		keys[i] = "textures/rock" + strconv.Itoa(i) + ".png"
	}
	for _, tt := range []struct {
		name   string
		random bool
	}{{"xxh128", true}, {"xxh3", true}, {"murmur3-32", true}, {"lookup2", true}, {"blake3", true}, {"sha256", true}, {"adler32", false}} {
		f, _ := hashing.Lookup(tt.name)
		for _, bins := range []int{1 << 10, 1009, 1 << 14} {
			d := spreadKeys(f.Sum64, keys, bins)
			if p := d.probability(); (p > 1e-6) != tt.random {
				t.Errorf("%s, %d bins: p %g", tt.name, bins, p)
			}
			if off := math.Abs(float64(d.emptyBins())/max(1, d.expectedEmptyBins()) - 1); bins == 1<<14 && (off < 0.1) != tt.random {
				t.Errorf("%s: %d empty bins, %.0f expected", tt.name, d.emptyBins(), d.expectedEmptyBins())
			}
			if (d.collisions32 < 5) != tt.random {
				t.Errorf("%s: %d collisions, %.2f expected", tt.name, d.collisions32, d.expectedCollisions(32))
			}
		}
	}
}

func TestKeysAreCountedByBin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.StringMatching(`[ab]{0,5}`)).Draw(t, "keys")
		bins := rapid.IntRange(1, 50).Draw(t, "bins")
		f, _ := hashing.Lookup(rapid.SampledFrom([]string{"adler32", "xxh3", "xxh128", "sha256"}).Draw(t, "function"))
		d := spreadKeys(f.Sum64, keys, bins)
		distinct, sums32, sums64, counts := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[uint64]int{}
		for _, key := range keys {
			if distinct[key] {
				continue
			}
			distinct[key] = true
			sum := f.Sum([]byte(key)).String()
			low := sum[max(0, len(sum)-16):]
			sums32[sum[len(sum)-8:]] = true
			sums64[low] = true
			v, _ := strconv.ParseUint(low, 16, 64)
			counts[v%uint64(bins)]++
		}
		chained, all := 0, make([]int, bins)
		for bin := range all {
			all[bin] = bin
		}
		chains := keysInBins(f.Sum64, keys, bins, all...)
		for bin, n := range d.counts {
			chain := chains[bin]
			if n != counts[uint64(bin)] || len(chain) != n || !slices.IsSorted(chain) {
				t.Fatalf("bin %d: %d keys, %q in its chain, want %d", bin, n, chain, counts[uint64(bin)])
			}
			for _, key := range chain {
				if !distinct[key] {
					t.Fatalf("bin %d: %q is no key", bin, key)
				}
			}
			chained += n
		}
		if chained != len(distinct) {
			t.Fatalf("%d keys in chains, want %d", chained, len(distinct))
		}
		if d.keys != len(distinct) || d.duplicates != len(keys)-len(distinct) || d.bins != bins || d.freedom() != bins-1 {
			t.Fatalf("%+v of %d keys, %d distinct", d, len(keys), len(distinct))
		}
		if d.collisions32 != len(distinct)-len(sums32) || d.collisions64 != len(distinct)-len(sums64) {
			t.Fatalf("%+v: %d sums of 32 bits, %d of 64", d, len(sums32), len(sums64))
		}
		longest, chi, expected := 0, 0.0, float64(len(distinct))/float64(bins)
		for bin := range uint64(bins) {
			n := counts[bin]
			longest = max(longest, n)
			if expected > 0 {
				chi += (float64(n) - expected) * (float64(n) - expected) / expected
			}
		}
		if d.emptyBins() != bins-len(counts) || d.longestChain() != longest || math.Abs(d.chiSquared()-chi) > 1e-9*(1+chi) {
			t.Fatalf("%+v: %d empty, %d, %g", d, bins-len(counts), longest, chi)
		}
		if p := d.probability(); !(p >= 0 && p <= 1) {
			t.Fatalf("p %v", p)
		}
	})
}

// Keys may contain any bytes, and spreadKeys must accept any function.
func TestKeysAreSpreadByAnyFunction(t *testing.T) {
	var keys []string
	for i := range 1000 {
		keys = append(keys, string([]byte{byte(i), byte(i >> 8), 0, '\n', 0xff}))
	}
	keys = append(keys, keys[0])
	first := func(key []byte) uint64 { return uint64(key[0]) }
	d := spreadKeys(first, keys, 128)
	if d.keys != 1000 || d.duplicates != 1 || d.emptyBins() != 0 || d.longestChain() != 8 || d.collisions64 != 1000-256 {
		t.Errorf("%+v", d)
	}
	if chains := keysInBins(first, keys, 128, 127, 3, 127); len(chains) != 3 || len(chains[1]) != d.counts[3] ||
		len(chains[0]) != d.counts[127] || chains[0][0][0]%128 != 127 || !slices.Equal(chains[0], chains[2]) {
		t.Errorf("the keys in bins 127, 3 and 127 are %x", chains)
	}
}

// These eight words are from a published string table that used the low 14 bits of lookup2. They
// fall into three neighboring bins, and two of them have the same hash.
func TestEightWordsShareThreeBins(t *testing.T) {
	words := []string{"hairbrush", "encomiums", "engrained", "Seavir", "phrenologically", "Alfreda", "centillion", "cyclometer"}
	f, _ := hashing.Lookup("lookup2")
	d := spreadKeys(f.Sum64, words, 1<<14)
	if d.keys != 8 || d.bins-d.emptyBins() != 3 || d.longestChain() != 4 || d.collisions32 != 1 {
		t.Errorf("%+v", d)
	}
	want := [][]string{
		{"Alfreda", "phrenologically"},
		{"Seavir", "encomiums", "engrained", "hairbrush"},
		{"centillion", "cyclometer"},
	}
	if got := keysInBins(f.Sum64, words, d.bins, 0x32ba, 0x32bb, 0x32bc); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The test encodes random keys in every form, and expects to read the same keys.
func TestKeysOfAllForms(t *testing.T) {
	read := func(t *rapid.T, form string, zero bool, text []byte) keyList {
		c := &command{stdin: bytes.NewReader(text)}
		c.layout.zero = zero
		if err := c.options.keys.Set(form); err != nil {
			t.Fatal(err)
		}
		var keys keyList
		if err := c.readKeys(t.Context(), &keys, stdinName); err != nil {
			t.Fatalf("%s: %q: %v", form, text, err)
		}
		return keys
	}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 20).Draw(t, "size")
		want := []string{}
		var hexLines, records, sums bytes.Buffer
		given := map[string]uint64{}
		for _, key := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), size, size), 1, 10).Draw(t, "keys") {
			want = append(want, string(key))
			fmt.Fprintln(&hexLines, hex.EncodeToString(key))
			records.Write(key)
			text := strings.NewReplacer("\x00", "0", "\xff", "f").Replace(string(key))
			sum := uint64(len(given))
			if before, again := given[text]; again {
				sum = before
			}
			given[text] = sum
			fmt.Fprintf(&sums, "%x %s\x00", sum, text)
		}
		if got := read(t, "hex", false, hexLines.Bytes()); !slices.Equal(got.list, want) {
			t.Fatalf("hex: %q, want %q", got.list, want)
		}
		if got := read(t, fmt.Sprint(size), false, records.Bytes()); !slices.Equal(got.list, want) {
			t.Fatalf("records: %q, want %q", got.list, want)
		}
		got := read(t, "sums", true, sums.Bytes())
		if len(got.list) != len(want) || len(got.sums) != len(given) {
			t.Fatalf("sums: %q, %v, want %v", got.list, got.sums, given)
		}
		for _, key := range got.list {
			if sum, ok := given[key]; !ok || got.sums[key] != sum {
				t.Fatalf("sums: %q has %x, want %x, %v", key, got.sums[key], sum, ok)
			}
		}
	})
}
