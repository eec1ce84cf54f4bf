package pak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// laidOut assigns offsets to files of the given sizes. It returns the entries and the end of the
// data.
func laidOut(sizes map[string]int64) (map[string]Entry, int64) {
	l := layout{end: headerSize}
	entries := map[string]Entry{}
	put := func(list []*packed) {
		for _, p := range list {
			entries[p.entry.Name] = p.entry
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		put(l.placeData(&packed{entry: Entry{Name: name, Packed: sizes[name]}, hash: hashOf(name)}))
	}
	put(l.finalizePlaces())
	return entries, l.end
}

// TestLayoutLaws checks that data is in the order of names, is aligned, and does not overlap. After
// an edit, the next file that always begins at a chunk boundary, and all data behind it, must move
// by the same number of whole chunks.
func TestLayoutLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		scale := rapid.IntRange(10, 25).Draw(t, "scale")
		sizes := map[string]int64{}
		for i := range rapid.IntRange(1, 2000).Draw(t, "files") {
			sizes[fmt.Sprintf("%x/%d", r.IntN(64), i)] = 1 + r.Int64N(1<<(4+r.IntN(scale-3)))
		}
		before, end := laidOut(sizes)
		names := slices.Sorted(maps.Keys(sizes))
		last, bytes := int64(headerSize), int64(0)
		for _, name := range names {
			e := before[name]
			if e.Packed != sizes[name] || e.Offset < last || e.Offset != alignData(e.Offset, e.Packed) {
				t.Fatalf("%s of %d bytes lies at %d behind %d", name, e.Packed, e.Offset, last)
			}
			last = e.Offset + e.Packed
			bytes += e.Packed
		}
		if last > end {
			t.Fatalf("the data ends at %d, not %d", last, end)
		}
		edited := names[r.IntN(len(names))]
		after := maps.Clone(sizes)
		switch rapid.IntRange(0, 2).Draw(t, "edit") {
		case 0:
			after[edited] = max(1, sizes[edited]+r.Int64N(1<<16)-1<<15)
		case 1:
			delete(after, edited)
		case 2:
			after[edited+"+"] = 1 + r.Int64N(1<<20)
		}
		now, _ := laidOut(after)
		moved, settled := int64(0), false
		for _, name := range names {
			a, b := before[name], now[name]
			if name <= edited+"+" {
				continue
			}
			whole := a.Offset%chunkSize == 0 && b.Offset%chunkSize == 0 && min(a.Offset, b.Offset) >= 2*restartSize
			if !settled && whole && restarts(hashOf(name), upToMultiple(a.Packed, stepFor(a.Packed))) {
				moved, settled = b.Offset-a.Offset, true
			}
			if settled && b.Offset-a.Offset != moved {
				t.Fatalf("%s moved by %d, those before it by %d", name, b.Offset-a.Offset, moved)
			}
		}
	})
}

// TestLayoutIsLocal draws random sizes. At most a few percent of a pak may be unused, and few small
// changes of a file may move data outside of the file's chunk.
func TestLayoutIsLocal(t *testing.T) {
	for name, size := range sizesOf {
		r := rand.New(rand.NewPCG(1, 1))
		sizes, total := map[string]int64{}, int64(0)
		for i := 0; total < 256<<20; i++ {
			n := size(r)
			sizes[fmt.Sprintf("dir%d/file%d", r.IntN(100), i)] = n
			total += n
		}
		names := slices.Sorted(maps.Keys(sizes))
		before, end := laidOut(sizes)
		if part := float64(end-total) / float64(total); part > 0.05 {
			t.Errorf("%s: %.1f %% of the pak are unused", name, 100*part)
		}
		const edits = 50
		local := 0
		for range edits {
			after, edited := maps.Clone(sizes), names[r.IntN(len(names))]
			after[edited] = max(1, after[edited]+r.Int64N(1024)-512)
			now, _ := laidOut(after)
			moved := false
			for file, e := range now {
				// Moves by whole chunks do not count.
				moved = moved || file != edited && e.Offset/chunkSize != now[edited].Offset/chunkSize && (e.Offset-before[file].Offset)%chunkSize != 0
			}
			if !moved {
				local++
			}
		}
		if local < edits*85/100 {
			t.Errorf("%s: %d of %d edits moved what is not in their chunk", name, edits-local, edits)
		}
	}
}

// sizesOf maps the name of a size range to a function that returns a random file size in the range.
var sizesOf = map[string]func(r *rand.Rand) int64{
	"1 to 32 KiB":     func(r *rand.Rand) int64 { return 1<<10 + r.Int64N(31<<10) },
	"64 KiB to 1 MiB": func(r *rand.Rand) int64 { return 64<<10 + r.Int64N(960<<10) },
	"1 to 16 MiB":     func(r *rand.Rand) int64 { return 1<<20 + r.Int64N(15<<20) },
	"1 KiB to 16 MiB": func(r *rand.Rand) int64 { return 1<<(10+r.IntN(14)) + r.Int64N(1<<10) },
}

// TestDirectoryPlace expects a directory to overlap no more chunks than its size requires.
func TestDirectoryPlace(t *testing.T) {
	for _, size := range []int64{256, 300 << 10, 1 << 20, 1<<20 + 1, 5<<20 - 4096} {
		for _, end := range []int64{32 << 20, 32<<20 + 1, 33<<20 - 5000, 40<<20 - 1} {
			at := directoryAt(end, size)
			if chunks := (at+size-1)/chunkSize - at/chunkSize + 1; at < end || at%pageSize != 0 || chunks != (size+chunkSize-1)/chunkSize {
				t.Errorf("%d bytes behind %d begin at %d, in %d chunks", size, end, at, chunks)
			}
		}
	}
	if at := directoryAt(1<<20-10, 5000); at != 1<<20 {
		t.Errorf("in a small pak it begins at %d", at)
	}
}
