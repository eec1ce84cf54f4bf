package manifest

import (
	"maps"
	"slices"
	"testing"
)

// forLayouts runs a benchmark for each of the two layouts.
func forLayouts(b *testing.B, run func(b *testing.B, layout Layout)) {
	for _, name := range LayoutNames() {
		b.Run(name, func(b *testing.B) { run(b, Layout(name)) })
	}
}

func BenchmarkBuild(b *testing.B) {
	assets := manyAssets(50_000)
	forLayouts(b, func(b *testing.B, layout Layout) {
		b.ReportAllocs()
		for b.Loop() {
			size := 0
			err := Build(layout, slices.Values(assets), func(f File) error { size += len(f.Data); return nil })
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
		}
	})
}

func BenchmarkRead(b *testing.B) {
	files := folder(oracle(standard(Parts), manyAssets(50_000)))
	size := 0
	for data := range maps.Values(files) {
		size += len(data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Read(files[Name], files.load) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkUpdate changes one of 50,000 assets.
func BenchmarkUpdate(b *testing.B) {
	assets := manyAssets(50_000)
	edited := assets[25_000]
	edited.Outputs = []Output{{Path: "other"}}
	forLayouts(b, func(b *testing.B, layout Layout) {
		files := folder(oracle(standard(layout), assets))
		b.ReportAllocs()
		for b.Loop() {
			write, _, err := Update(layout, files[Name], files.load, []Change{{Asset: edited}})
			if err != nil || len(write) == 0 {
				b.Fatalf("%d files, %v", len(write), err)
			}
		}
	})
}
