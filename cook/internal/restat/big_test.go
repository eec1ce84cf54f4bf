package restat_test

import (
	"fmt"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/internal/memtemp"
)

// bigFolder is the number of nodes of a directory in one task.
const bigFolder = 4096

// A big directory is split into tasks, so that all workers finish at about the same time.
func TestBigFolder(t *testing.T) {
	w := &tree{TB: t, base: memtemp.Dir(t)}
	const files = bigFolder + 3
	for i := range files {
		w.write(fmt.Sprintf("assets/big/%d", i), "")
	}
	live := w.live()
	name := func(node int) string { return "assets/" + live.Path(index.Ref(node)) }

	found := w.expect(w.options(live))
	// Opened counts the parent directory and each part of the big directory; Stats counts both
	// directories and all files.
	if want := (restat.Counts{Opened: 1 + 2, Stats: 1 + 2 + files}); found.Counts != want {
		t.Errorf("counts %+v, want %+v", found.Counts, want)
	}
	for _, node := range []int{files - 1, bigFolder, bigFolder - 1, 0} {
		w.touch(name(node))
	}
	w.expect(w.options(live), "changed asset "+live.Path(0), "changed asset "+live.Path(bigFolder-1),
		"changed asset "+live.Path(bigFolder), "changed asset "+live.Path(files-1))
	w.remove(name(files - 1))
	found = w.expect(w.options(live), "list ./big")
	if want := (restat.Counts{Opened: 1 + 2, Stats: 1 + 2}); found.Counts != want {
		t.Errorf("counts %+v of a directory that will be listed, want %+v", found.Counts, want)
	}
	w.rename("assets/big", "big")
	w.expect(w.options(live), "gone ./big", "list ./")
}

func TestPartsOfBigFolder(t *testing.T) {
	for files, parts := range map[int]int64{bigFolder - 1: 1, bigFolder: 1, bigFolder + 1: 2} {
		w := &tree{TB: t, base: t.TempDir()}
		for i := range files {
			w.absent = append(w.absent, fmt.Sprint(i))
		}
		w.write("assets/x/source", "")
		live := w.live()
		found := w.expect(w.options(live))
		if want := (restat.Counts{Opened: parts + 1, Stats: parts + 1 + int64(files) + 1}); found.Counts != want {
			t.Errorf("%d files: counts %+v, want %+v", files, found.Counts, want)
		}
		w.write(fmt.Sprint("assets/", files-1), "")
		w.expect(w.options(live), "list ./", fmt.Sprint("appeared absent ", files-1))
	}
}
