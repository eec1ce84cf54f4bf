// Package bulk reads many files for little more than what the system asks for opening,
// reading and closing them.
//
// The files are cut into runs of one folder. A worker opens the folder once and its
// files relative to it, reads a small file with one call into a buffer of its own, and
// hashes a content that equals the one before it only once: a source beside its copy.
// Large files are summed as they are read, and one that would keep a single core busy
// when all others are done is read by all cores, in pieces.
//
// What is not a regular file inside its tree, with no link on the way, is an error
// without further explanation. The caller has slower ways to find out what it is.
package bulk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/parallel"
)

// SmallSize is from which size on a file is not read with one call.
const SmallSize = bufferSize

const (
	// bufferSize is how much is read at once: large enough that the system call is
	// noise, small enough that the bytes are still in the second-level cache when they
	// are summed.
	bufferSize = 256 << 10
	// runFiles and runBytes are when a run is enough for one worker.
	runFiles = 256
	runBytes = 1 << 20
	// SharedSize is from when on a file may be read in pieces.
	SharedSize = 16 << 20
)

// A Run is some files of one folder, by their numbers: from First up to Last.
type Run struct {
	First, Last int
	bytes       int64
}

// Runs cuts the files below n into runs, the largest first, so that none of them is left
// for the end. sameFolder compares the folders of neighbors.
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

// SameFolder reports whether two paths with slashes are of files in one folder.
func SameFolder(a, b string) bool {
	i := strings.LastIndexByte(a, '/')
	return i == strings.LastIndexByte(b, '/') && (i < 0 || a[:i] == b[:i])
}

// Each calls do for all runs on some workers, until ctx ends, whose error it then
// returns, or do fails, which ends its worker.
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
	// As they are the largest, runs of one such file are first.
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
