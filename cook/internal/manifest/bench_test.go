package manifest

import (
	"maps"
	"slices"
	"testing"
)

func BenchmarkBuild(b *testing.B) {
	assets := manyAssets(100_000)
	b.ReportAllocs()
	for b.Loop() {
		size := 0
		err := Build(slices.Values(assets), func(f File) error { size += len(f.Data); return nil })
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(size))
	}
}

func BenchmarkRead(b *testing.B) {
	files := folder(oracle(standard(), manyAssets(100_000)))
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

// One asset of 100,000 changes.
func BenchmarkUpdate(b *testing.B) {
	assets := manyAssets(100_000)
	files := folder(oracle(standard(), assets))
	edited := assets[50_000]
	edited.Outputs = []Output{{Path: "other"}}
	b.ReportAllocs()
	for b.Loop() {
		write, _, err := Update(files[Name], files.load, []Change{{Asset: edited}})
		if err != nil || len(write) != 2 {
			b.Fatalf("%d files, %v", len(write), err)
		}
	}
}
