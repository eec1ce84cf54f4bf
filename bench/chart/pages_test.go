package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All pages show the recorded benchmarks.
func TestPagesShowTheRecord(t *testing.T) {
	record, err := os.ReadFile("../results/hash.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"../../README.md", "../results/hashes.md", "../results/intern.md", "../results/ptrhash.md"} {
		files, err := filledPage(page, record)
		if err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for name, want := range files {
			got, err := os.ReadFile(name)
			if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
				t.Errorf("%s: %v; chart -fill <bench/results/hash.txt rewrites it: -want +got\n%s", name, err, diff)
			}
		}
	}
}
