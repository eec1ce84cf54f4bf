package intern

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wordsFile is the environment variable that names a word list, with one word per line. For
// Debian's wamerican-insane 2020.12.07-2, TestCollisions checks known numbers. Without a list,
// tests and benchmarks generate names.
const wordsFile = "WORDS"

// insaneWords is the number of words in the list american-english-insane.
const insaneWords = 663473

// corpus returns n distinct names in random order, or the whole word list if n < 0.
func corpus(tb testing.TB, n int) (names []string, fromFile bool) {
	tb.Helper()
	if file := os.Getenv(wordsFile); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			names = append(names, strings.TrimSuffix(string(line), "\n"))
		}
		fromFile = true
	} else {
		if n < 0 {
			n = 200_000
		}
		names = made(n)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if n > len(names) {
		tb.Fatalf("%d names wanted, %s has %d", n, wordsFile, len(names))
	}
	if n >= 0 {
		names = names[:n]
	}
	return names, fromFile
}

// made returns n names that look like asset paths and counters.
func made(n int) []string {
	parts := strings.Fields("rock wall door water metal wood grass stone hero enemy lamp cloud dust fire " +
		"textures meshes sounds shaders ui level frame draw upload wait cook decode")
	ends := strings.Fields(".png .tga .wav .frag .gltf _n.png .calls .bytes .ms -max")
	r := rand.New(rand.NewPCG(3, 4))
	names := make([]string, n)
	for i := range names {
		var b []byte
		for range 1 + r.IntN(3) {
			b = append(b, parts[r.IntN(len(parts))]...)
			b = append(b, "/_."[r.IntN(3)])
		}
		// Each name contains a different number, so all names are distinct.
		b = strconv.AppendUint(b, uint64(i)*7919%1_000_003, 36)
		names[i] = string(append(b, ends[r.IntN(len(ends))]...))
	}
	return names
}

func totalBytes(names []string) (n int) {
	for _, s := range names {
		n += len(s)
	}
	return n
}

// tableOf returns a table of exactly these names.
func tableOf(tb testing.TB, names []string, hash Hash) *Table {
	tb.Helper()
	t, err := New(Config{Entries: len(names), Bytes: totalBytes(names), Hash: hash})
	if err != nil {
		tb.Fatal(err)
	}
	if n, err := t.InternAll(names, make([]Symbol, len(names))); err != nil {
		tb.Fatalf("after %d names: %v", n, err)
	}
	return t
}

func freeze(tb testing.TB, t *Table) *Table {
	tb.Helper()
	f, err := t.Freeze()
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Among n distinct names, about n*n/2^33 pairs share a 32-bit hash.
func TestCollisions(t *testing.T) {
	names, fromFile := corpus(t, -1)
	insane := map[Hash]int{Seeded: 41, XXH3: 43, Lookup2: 52, Murmur3: 52}
	for hash := range hashes {
		sums := make([]uint32, len(names))
		h := hasher{hash, newSeed(0)}
		for i, s := range names {
			sums[i] = uint32(h.sum(s))
		}
		slices.Sort(sums)
		got := len(sums) - len(slices.Compact(sums))
		t.Logf("%v: %d names, %d collisions", hash, len(names), got)
		if fromFile && len(names) == insaneWords {
			if got != insane[hash] {
				t.Errorf("%v: %d collisions, want %d", hash, got, insane[hash])
			}
		} else if expected := float64(len(names)) * float64(len(names)) / (1 << 33); float64(got) > 3*expected+5 {
			t.Errorf("%v: %d collisions, %.1f are to be expected", hash, got, expected)
		}
	}
}

func TestMadeNamesAreDistinct(t *testing.T) {
	names := made(200_000)
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != 200_000 {
		t.Errorf("%d distinct names of 200000", n)
	}
}
