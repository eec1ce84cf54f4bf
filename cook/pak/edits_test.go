package pak

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/hashing"
)

// words fills data with random text if text is set, and otherwise with random bytes, which cannot
// be compressed.
func words(r *rand.Rand, data []byte, text bool) {
	for i := 0; i < len(data); {
		if !text {
			data[i] = byte(r.Uint32())
			i++
			continue
		}
		word := r.IntN(4096) * r.IntN(4096) >> 12 // number of a word; small numbers are more frequent, as in real text
		i += copy(data[i:], fmt.Sprintf("%x ", word*word))
	}
}

// mixed returns files of 4 KiB to 8 MiB with a total size of at least size bytes. Every second file
// is text.
func mixed(size int) map[string][]byte {
	r := rand.New(rand.NewPCG(1, 1))
	tree := map[string][]byte{}
	for i := 0; size > 0; i++ {
		data := make([]byte, 1<<(12+r.IntN(11))+r.IntN(4<<10))
		words(r, data, i%2 == 0)
		tree[fmt.Sprintf("level%02d/%s%05d", r.IntN(40), []string{"text", "image"}[i%2], i)] = data
		size -= len(data)
	}
	return tree
}

// chunksOf returns a hash for each chunk of a file.
func chunksOf(b *testing.B, name string) (chunks []uint64) {
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	for c := range slices.Chunk(data, chunkSize) {
		chunks = append(chunks, xxh3.Hash(c))
	}
	return chunks
}

var editsSize = flag.Int("pak.size", 64, "MiB of files in the pak of BenchmarkEdits")

// BenchmarkEdits edits, adds or removes a file in a pak. It reports the time to create the new pak,
// the number of new or moved chunks of 1 MiB, and the number of bytes that were not copied.
func BenchmarkEdits(b *testing.B) {
	tree := mixed(*editsSize << 20)
	dir := b.TempDir()
	old, next := filepath.Join(dir, "old.pak"), filepath.Join(dir, "next.pak")
	raw, packed := int64(0), int64(0)
	create := func(name string, tree map[string][]byte, opt Options) Stats {
		var files []File
		for n, data := range tree {
			files = append(files, File{Name: n, Size: int64(len(data)), Digest: hashing.DigestOf(data), Read: func() ([]byte, error) { return data, nil }})
		}
		opt.Workers = 2
		stats, err := Create(b.Context(), name, files, opt)
		if err != nil {
			b.Fatal(err)
		}
		return stats
	}
	stats := create(old, tree, Options{})
	p := open1(b, old)
	for e := range p.Entries() {
		raw, packed = raw+e.Size, packed+e.Packed
	}
	b.Logf("%d files, %.1f MB, packed %.1f MB; pak of %.1f MB, directory of %.0f KB, %.2f %% unused", stats.Files, float64(raw)/1e6, float64(packed)/1e6,
		float64(stats.Size)/1e6, float64(stats.Size-p.footer.records)/1e3, 100*float64(p.footer.records-packed)/float64(stats.Size))
	before := chunksOf(b, old)
	there := map[uint64]bool{}
	for _, c := range before {
		there[c] = true
	}
	names := slices.Sorted(maps.Keys(tree))
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			create(next, tree, Options{})
		}
	})
	r := rand.New(rand.NewPCG(2, 2))
	for _, edit := range []string{"edit64K", "add", "remove"} {
		b.Run(edit, func(b *testing.B) {
			var content, places []int
			var written []int64
			for b.Loop() {
				b.StopTimer()
				edited, name := maps.Clone(tree), names[r.IntN(len(names))]
				data := bytes.Clone(tree[name])
				switch edit {
				case "edit64K":
					at := r.IntN(max(1, len(data)-64<<10))
					words(r, data[at:min(at+64<<10, len(data))], name[8] == 't')
					edited[name] = data
				case "add":
					words(r, data, name[8] == 't')
					edited[name+"+"] = data
				case "remove":
					delete(edited, name)
				}
				b.StartTimer()
				stats := create(next, edited, Options{Reuse: p})
				b.StopTimer()
				missing, differ := 0, 0
				for i, c := range chunksOf(b, next) {
					if !there[c] {
						missing++
					}
					if i >= len(before) || before[i] != c {
						differ++
					}
				}
				content, places, written = append(content, missing), append(places, differ), append(written, stats.Written)
				b.StartTimer()
			}
			slices.Sort(content)
			slices.Sort(places)
			slices.Sort(written)
			n := len(content)
			two := 0
			for _, c := range content {
				if c <= 2 {
					two++
				}
			}
			b.ReportMetric(100*float64(two)/float64(n), "%<=2")
			b.ReportMetric(float64(content[n/2]), "chunks-p50")
			b.ReportMetric(float64(content[n*9/10]), "chunks-p90")
			b.ReportMetric(float64(content[n-1]), "chunks-max")
			b.ReportMetric(float64(places[n/2]), "places-p50")
			b.ReportMetric(float64(places[n*9/10]), "places-p90")
			b.ReportMetric(float64(written[n-1])/(1<<20), "MiB-max")
		})
	}
}
