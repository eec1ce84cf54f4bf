package cook_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
)

// outputStamps returns the stamps of all files in the output directory except the lock.
func (p *project) outputStamps() map[string]scan.Stamp {
	p.Helper()
	return stampsOf(p, isLockOrFolder, p.run.Out)
}

// written returns the changed files of the output directory, and the number of bytes written to the
// state directory.
func (p *project) written(before map[string]scan.Stamp) (names []string, state int64) {
	p.Helper()
	for name, stamp := range p.outputStamps() {
		if before[name] == stamp {
			continue
		}
		rel, err := filepath.Rel(p.run.Out, name)
		p.must(err)
		rel = filepath.ToSlash(rel)
		if !strings.HasPrefix(rel, ".cook/") {
			names = append(names, rel)
			continue
		}
		names = append(names, strings.SplitAfter(rel, "-")[0])
		limit, appended := map[string]int64{".cook/history": 1500, ".cook/earlier": 120}[rel]
		if !appended {
			state += stamp.Size
		} else if grown := stamp.Size - before[name].Size; grown > limit {
			p.Errorf("%s grew by %d bytes", rel, grown)
		}
	}
	slices.Sort(names)
	return names, state
}

// TestCostOfOneEdit expects that the files read and written after one edit do not depend on the
// number of assets. A run reads one source, and writes one output and the changes to the index.
// Only the manifest grows with the number of assets.
func TestCostOfOneEdit(t *testing.T) {
	type cost struct {
		checksummed int
		bytes       int64
		state       int64
	}
	costs := map[int]cost{}
	for _, files := range []int{100, 3000} {
		p := smallFiles(t, files)
		for round := range 3 {
			before := p.outputStamps()
			p.write(p.source(7), fmt.Sprintf("%0*d", smallSize, -1-round))
			p.tick()
			s := p.cook()
			if s.Cooked.Assets != 1 || s.ByStamp.Assets != files-1 || s.Found.Assets != files {
				t.Errorf("%d files: %s", files, s.String())
			}
			names, state := p.written(before)
			if got, want := strings.Join(names, " "), ".cook/changes- .cook/earlier .cook/history 7/0007.txt manifest.json"; got != want {
				t.Errorf("%d files, round %d: %s were written, want %s", files, round, got, want)
			}
			now := cost{s.Checksummed.Assets, s.Checksummed.In, state}
			if round > 0 && now != costs[files] {
				t.Errorf("%d files, round %d: cost %+v, was %+v", files, round, now, costs[files])
			}
			costs[files] = now
			p.tick()
		}
	}
	few, many := costs[100], costs[3000]
	if few != many {
		t.Errorf("100 files cost %+v, 3000 cost %+v", few, many)
	}
	// The source is read to compare checksums, to list changed contents, and to compute its blob
	// ID.
	if few.checksummed > 3 || few.bytes > 3*smallSize {
		t.Errorf("%d files of %d bytes were read", few.checksummed, few.bytes)
	}
	// Most of the written state is headers.
	if few.state > 4096 {
		t.Errorf("%d bytes of state were written", few.state)
	}
}

// TestTouchedSourcesAreReadOnce changes the stamps of sources but not their contents. A run must
// read each source once and cook nothing, and the next run must trust the stamps.
func TestTouchedSourcesAreReadOnce(t *testing.T) {
	for _, files := range []int{100, 1000} {
		p := smallFiles(t, files)
		before := p.outputStamps()
		for i := range files {
			when := time.Unix(int64(1+i), 0)
			p.must(os.Chtimes(p.asset(p.source(i)), when, when))
		}
		p.tick()
		s := p.cook()
		if s.ByChecksum.Assets != files || s.Found.Assets != files || s.Checksummed.Assets != files || s.Checksummed.In != int64(files)*smallSize {
			t.Errorf("%d files: %s; %d files of %d bytes were read", files, s.String(), s.Checksummed.Assets, s.Checksummed.In)
		}
		names, _ := p.written(before)
		for _, name := range names {
			if !strings.HasPrefix(name, ".cook/") {
				t.Errorf("%d files: %s was written", files, name)
			}
		}
		before = p.outputStamps()
		if s := p.cook(); s.ByStamp.Assets != files || s.Checksummed.Assets != 0 {
			t.Errorf("%d files, second run: %s; %d files were read", files, s.String(), s.Checksummed.Assets)
		}
		if names, _ := p.written(before); len(names) > 0 {
			t.Errorf("%d files, second run: %q were written", files, names)
		}
	}
}

// TestFirstCookOfAllSizes cooks sources of various sizes, because the size determines how a run
// computes the checksum. The recipe must always get the whole source.
func TestFirstCookOfAllSizes(t *testing.T) {
	const large = 16<<20 + 1 // equals bulk.SharedSize
	for _, sizes := range [][]int{{0, 1, recipe.HeadSize - 1, recipe.HeadSize, recipe.HeadSize + 1, 1 << 20}, {large}} {
		p := newProject(t)
		p.run.Workers = 4
		contents := map[string][]byte{}
		for _, size := range sizes {
			name := fmt.Sprintf("%d.bin", size)
			contents[name] = bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
			p.write(name, string(contents[name]))
		}
		s := p.cook()
		if s.Cooked.Assets != len(sizes) || s.Checksummed.Assets != len(sizes) {
			t.Errorf("%v: %s, %d files read", sizes, s.String(), s.Checksummed.Assets)
		}
		for name, want := range contents {
			got, err := os.ReadFile(filepath.Join(p.run.Out, name))
			p.must(err)
			if !bytes.Equal(got, want) {
				t.Errorf("%s is another one", name)
			}
		}
		v, err := cook.Verify(p.Context(), p.run.Project(), cook.VerifyOptions{Sample: "100%"})
		p.must(err)
		if v.Differences != 0 || v.Again != len(sizes) {
			t.Errorf("%v: %+v", sizes, v)
		}
	}
}
