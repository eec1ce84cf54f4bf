package contents

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/regular"
)

// A reader determines contents from stamps where possible, and reads the other files.
type reader struct {
	opt      Options
	summer   *hashing.Summer
	sameFunc bool // set if Options.Checksum also computed the checksums in the index
	read     Counts
}

// Counts counts the files and bytes read.
type Counts struct{ Files, Bytes atomic.Int64 }

// A job is a file to read.
type job struct {
	file  *File
	known *index.File
	want  hashing.Want
}

// judgeStamp determines the content of a file from its stamp, or returns the job of reading it.
func (rd *reader) judgeStamp(f *File, known *index.File) job {
	f.Settled = rd.opt.Clock.Settled(f.Stamp)
	if known == nil || known.Blob == (store.BlobID{}) { // the index has no blob ID for rule files that no asset has read
		return job{file: f, want: hashing.WantSum | hashing.WantDigest}
	}
	if known.Settled && known.Stamp == f.Stamp && rd.sameFunc && !rd.opt.IgnoreStamps {
		f.Sum, f.Blob, f.How = known.Sum, known.Blob, ByStamp
		return job{}
	}
	if rd.sameFunc && known.Stamp.Size == f.Stamp.Size {
		return job{file: f, known: known, want: hashing.WantSum}
	}
	return job{file: f, known: known, want: hashing.WantSum | hashing.WantDigest}
}

// readContents reads the files of jobs. If the checksum shows new content, it reads the file again
// for the blob ID.
func (rd *reader) readContents(ctx context.Context, jobs []job) error {
	again := make([]bool, len(jobs))
	tree := bulk.OpenTree(rd.opt.Assets)
	defer tree.Close()
	runs := bulk.Runs(len(jobs), func(i, j int) bool { return bulk.SameFolder(jobs[i].file.Path, jobs[j].file.Path) },
		func(i int) int64 { return jobs[i].file.Stamp.Size })
	err := bulk.Each(ctx, rd.opt.Workers, rd.summer, runs, func(w *bulk.Worker, r bulk.Run) error {
		for i := r.First; i < r.Last && ctx.Err() == nil; i++ {
			sum, err := rd.sumFile(ctx, w, &tree, jobs[i])
			again[i] = rd.noteRead(jobs[i], sum, err)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	var rest []job
	for i, more := range again {
		if more {
			rest = append(rest, job{jobs[i].file, jobs[i].known, hashing.WantSum | hashing.WantDigest})
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return rd.readContents(ctx, rest)
}

// sumFile reads a file and computes its checksums. It takes the stamp before reading the first
// byte. While another process can write to the file, the stamp does not prove the content.
func (rd *reader) sumFile(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, j job) (hashing.FileSum, error) {
	if got, err := w.Sum(tree, j.file.Path, bulk.Ask{Want: j.want, Busy: !rd.opt.Unsettled}); err == nil {
		j.file.Stamp = got.Stamp
		j.file.Settled = rd.opt.Clock.Settled(got.Stamp) && !got.Busy && !rd.opt.Unsettled
		return got.FileSum, nil
	}
	return rd.sumAlone(ctx, j) // Sum refuses a path that leads through a link, but sumAlone follows the link
}

// sumAlone is like sumFile, for a single file.
func (rd *reader) sumAlone(ctx context.Context, j job) (hashing.FileSum, error) {
	r, err := rd.openSource(j.file)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer r.Close()
	return rd.summer.Sum(ctx, r, j.want)
}

func (rd *reader) openSource(f *File) (io.ReadCloser, error) {
	var r *os.File
	var err error
	if filepath.IsAbs(f.Path) {
		r, err = regular.Open(f.Path)
	} else {
		r, err = rd.opt.Assets.OpenFile(f.Path)
	}
	if err != nil {
		return nil, err
	}
	stamp, busy, err := OpenStamp(r)
	if err != nil {
		r.Close()
		return nil, err
	}
	rd.setSeenStamp(f, stamp, busy)
	return r, nil
}

// OpenStamp returns the stamp of an open file, and reports whether another process could write to the
// file.
func OpenStamp(r *os.File) (stamp scan.Stamp, busy bool, err error) {
	info, err := r.Stat()
	if err != nil {
		return scan.Stamp{}, false, err
	}
	return scan.StampOf(info), lease.File(r) == lease.Busy, nil
}

// setSeenStamp sets the stamp of a file that OpenStamp returned.
func (rd *reader) setSeenStamp(f *File, stamp scan.Stamp, busy bool) {
	f.Stamp, f.Settled = stamp, !busy && rd.opt.Clock.Settled(stamp)
}

// noteRead records the result of reading a file, and reports whether the blob ID must still be
// computed.
func (rd *reader) noteRead(j job, sum hashing.FileSum, err error) (more bool) {
	f := j.file
	if err != nil {
		f.How, f.Err = Unreadable, err
		return false
	}
	rd.read.Files.Add(1)
	rd.read.Bytes.Add(sum.Size)
	f.Sum = sum.Sum
	switch {
	case j.want&hashing.WantDigest != 0:
		f.Blob = store.BlobID(sum.Digest)
		f.How = ByReading
		if j.known != nil && f.Blob == j.known.Blob {
			f.How = ByChecksum
		}
	case sum.Sum == j.known.Sum && sum.Size == j.known.Stamp.Size:
		f.Blob, f.How = j.known.Blob, ByChecksum
	default:
		return true
	}
	return false
}

// listArtifacts returns a dependency on a set of artifacts as a File. Its stamp counts as settled,
// because only the run itself changes artifacts.
func (rd *reader) listArtifacts(on dependency.Dependency) File {
	f := File{Path: on.Path, How: ByReading, Settled: true}
	if f.Blob, f.Err = rd.opt.Artifacts(on); f.Err != nil {
		f.How = Unreadable
	}
	return f
}
