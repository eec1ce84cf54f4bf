// Package bulk reads many files at little more than the cost of opening, reading and closing
// them.
//
// The files are split into runs of one directory. A worker opens the directory once and its files
// relative to it. It reads a small file with one call into its own buffer. If two successive
// contents are equal, such as a source and its copy, it hashes them only once. Large files are
// hashed while they are read; a file that would still occupy one core when all others are idle is
// read in pieces by all cores.
//
// A path that is not a regular file inside its tree, or that contains a link, gives an error
// without further explanation. The caller has slower ways to find out the reason.
package bulk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/parallel"
)

// Files of SmallSize or more are not read with one call.
const SmallSize = bufferSize

const (
	// bufferSize is the size of one read: large enough to make the system call cheap, small
	// enough that the bytes are still in the second-level cache when they are hashed.
	bufferSize = 256 << 10
	// runFiles and runBytes limit a run.
	runFiles = 256
	runBytes = 1 << 20
	// Files of SharedSize or more may be read in pieces.
	SharedSize = 16 << 20
)

// A Run is a range of files in one directory, by number: from First up to, but not including,
// Last.
type Run struct {
	First, Last int
	bytes       int64
}

// Runs splits the files below n into runs, the largest first, so that no large run is left for
// the end. sameFolder compares the directories of two files.
func Runs(n int, sameFolder func(i, j int) bool, size func(i int) int64) []Run {
	var runs []Run
	for first := 0; first < n; {
		r := Run{First: first, Last: first}
		for r.Last < n && r.Last-first < runFiles && r.bytes < runBytes && sameFolder(first, r.Last) {
			r.bytes += size(r.Last)
			r.Last++
		}
		runs = append(runs, r)
		first = r.Last
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(b.bytes, a.bytes) })
	return runs
}

// SameFolder reports whether two slash-separated paths are in one directory.
func SameFolder(a, b string) bool {
	i := strings.LastIndexByte(a, '/')
	return i == strings.LastIndexByte(b, '/') && (i < 0 || a[:i] == b[:i])
}

// Each calls do for all runs on some workers. If ctx ends, it returns ctx's error. An error of do
// stops its worker.
func Each(ctx context.Context, workers int, summer *hashing.Summer, runs []Run, do func(*Worker, Run) error) error {
	workers = max(1, workers)
	var total int64
	for _, r := range runs {
		total += r.bytes
	}
	made := make([]*Worker, workers)
	defer func() {
		for _, w := range made {
			if w != nil {
				w.Close()
			}
		}
	}()
	// The runs are sorted by size, so runs of one huge file are first.
	alone := 0
	for alone < len(runs) && runs[alone].bytes >= SharedSize && runs[alone].bytes > total/int64(workers) {
		alone++
	}
	some := func(runs []Run, workers, sharers int) error {
		return parallel.Each(ctx, workers, len(runs), func(n, i int) error {
			if made[n] == nil {
				made[n] = NewWorker(ctx, summer)
			}
			made[n].sharers = sharers
			return do(made[n], runs[i])
		})
	}
	if err := some(runs[:alone], 1, workers); err != nil {
		return err
	}
	return some(runs[alone:], workers, 1)
}
