package contents

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A partly is what an extract's function makes of a file: read once in a run, for all
// subjects.
type partly struct {
	once    sync.Once
	extract recipe.Extract
	data    []byte
	stamp   scan.Stamp // older than data
	settled bool
	trusted bool // now, settled says whether it was when the run began
	err     error
}

var errChanged = errors.New("changed while it was being read; run cook again")

// Extract returns what an extract says of its subject, and whether there is the file.
func (s *Contents) Extract(ctx context.Context, path string) (data []byte, found bool, err error) {
	f := s.At(ctx, path)
	if !f.Known() {
		return nil, false, f.Err
	}
	x, _ := pathname.CutExtract(path)
	p := s.partOf(x)
	if p.err != nil {
		return nil, false, p.err
	}
	data = p.extract.About(p.data, x.Subject)
	if store.BlobID(s.summer.SumBytes(data, hashing.WantDigest).Digest) != f.Blob {
		return nil, false, fmt.Errorf("%s: %w", pathname.Show(path), errChanged)
	}
	return data, true, nil
}

// lookAtExtract finds out what an extract is: a file whose stamp is that of the file, and
// whose content is what is extracted. The file is read unless its stamp vouches for it.
func (s *Contents) lookAtExtract(e *entry, x pathname.Extracted) {
	f := &e.file
	known, isKnown := s.opt.Known.File(f.Path)
	if isKnown && known.Settled && s.sameFunc && !s.opt.IgnoreStamps {
		info, err := s.opt.Assets.Stat(x.File)
		if err == nil && scan.StampOf(info) == known.Stamp {
			f.Stamp, f.Settled = known.Stamp, s.opt.Clock.Settled(known.Stamp)
			f.Sum, f.Blob, f.How = known.Sum, known.Blob, ByStamp
			return
		}
	}
	p := s.partOf(x)
	switch {
	case pathname.IsAbsent(p.err):
		return // Absent
	case p.err != nil:
		f.How, f.Err = Unreadable, p.err
		return
	}
	f.Stamp, f.Settled, f.How = p.stamp, p.settled, ByReading
	sum := s.summer.SumBytes(p.extract.About(p.data, x.Subject), hashing.WantSum|hashing.WantDigest)
	f.Sum, f.Blob = sum.Sum, store.BlobID(sum.Digest)
	if isKnown && known.Blob == f.Blob {
		f.How = ByChecksum
	}
}

// partOf reads a file for an extract, the first time.
func (s *Contents) partOf(x pathname.Extracted) *partly {
	x.Subject = ""
	s.mu.Lock()
	p, ok := s.parts[x]
	if !ok {
		p = &partly{}
		s.parts[x] = p
	}
	s.mu.Unlock()
	p.once.Do(func() { s.readPart(p, x) })
	return p
}

func (s *Contents) readPart(p *partly, x pathname.Extracted) {
	ok := false
	if s.opt.Extracts != nil {
		p.extract, ok = s.opt.Extracts(x.Name)
	}
	if !ok {
		p.err = fmt.Errorf("%s: no recipe of this program has this extract", pathname.Show(x.Path()))
		return
	}
	f, err := s.opt.Assets.OpenFile(x.File)
	if err != nil {
		p.err = err
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		p.err = err
		return
	}
	p.stamp = scan.StampOf(info)
	if !s.opt.Unsettled && s.opt.Clock.SettledSince(p.stamp) && lease.File(f) != lease.Busy {
		p.settled, p.trusted = s.opt.Clock.Settled(p.stamp), true
	}
	s.read.Files.Add(1)
	p.data, p.err = p.extract.Of(f, info.Size())
}

// Reextract reports whether an extract is still what it was when it was looked at. What else
// happened to its file does not matter: the recipe saw nothing else of it.
func (s *Contents) Reextract(f File) (same bool, err error) {
	x, _ := pathname.CutExtract(f.Path)
	info, err := s.opt.Assets.Stat(x.File)
	if err != nil || f.Settled && scan.StampOf(info) == f.Stamp {
		return err == nil, err
	}
	subject := x.Subject
	x.Subject = ""
	data, err := s.readAgain(x.Path(), scan.StampOf(info), func() (reading, bool, error) {
		var p partly
		s.readPart(&p, x)
		return reading{p.stamp, p.data}, p.trusted, p.err
	})
	if err != nil {
		return false, err
	}
	about := s.partOf(x).extract.About(data, subject)
	return s.summer.SumBytes(about, hashing.WantSum).Sum == f.Sum, nil
}
