package ogg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxPage is the size of the largest page.
const maxPage = pageHeader + maxSegments + maxSegments*255

// A pageWalk is the state of Verify.
type pageWalk struct {
	magic   []byte
	open    map[uint32]*openStream
	main    uint32 // serial number of the stream whose first packet starts with magic
	ended   int64  // number of frames in earlier streams whose first packet starts with magic
	granule int64  // last granule position of the stream main
}

// An openStream is a stream whose last page has not been read yet.
type openStream struct {
	number uint32 // number of the next page
	within bool   // set if the last packet continues on the next page
}

// Verify checks the checksum, the number and the order of all pages of a file. It selects the
// stream whose first packet starts with magic. whole is the length of its intact beginning, in
// frames. Verify holds one page at a time, and decodes nothing.
func Verify(r io.Reader, magic []byte) (whole int64, err error) {
	w := pageWalk{magic: magic, open: map[uint32]*openStream{}}
	buffered := bufio.NewReaderSize(r, maxPage)
	for at := int64(0); ; {
		data, err := buffered.Peek(maxPage)
		if err != nil && err != io.EOF {
			return w.position(), err
		}
		page, next, err := ReadPage(data, 0)
		switch {
		case err == io.EOF:
			return w.position(), w.checkOpenStreams()
		case err != nil && len(w.open) == 0 && at > 0:
			return w.position(), nil // bytes after the streams are ignored
		case err != nil && len(data) < maxPage && bytes.HasPrefix(data, []byte("OggS")):
			return w.position(), errors.New("the file is cut off within an Ogg page")
		case err != nil:
			return w.position(), fmt.Errorf("there is no Ogg page at byte %d", at)
		}
		if page.verifyChecksum(data) != nil {
			return w.position(), fmt.Errorf("the Ogg page at byte %d has a wrong checksum", at)
		}
		if err := w.addPage(&page); err != nil {
			return w.position(), err
		}
		buffered.Discard(next)
		at += int64(next)
	}
}

// addPage adds the next page of the file.
func (w *pageWalk) addPage(p *Page) error {
	s := w.open[p.Serial]
	if p.First {
		s = &openStream{number: p.Number}
		w.open[p.Serial] = s
		if bytes.HasPrefix(p.Body, w.magic) {
			w.ended += w.granule
			w.main, w.granule = p.Serial, 0
		}
	}
	switch {
	case s == nil:
		return errors.New("the Ogg pages at the start of the stream are missing")
	case p.Number != s.number || p.Resumes != s.within:
		return errors.New("some Ogg pages are missing")
	}
	s.number++
	if n := len(p.Lacing); n > 0 {
		s.within = p.Lacing[n-1] == 255
	}
	if p.Serial == w.main && p.Granule > 0 {
		w.granule = p.Granule
	}
	if p.Last {
		delete(w.open, p.Serial)
	}
	return nil
}

// checkOpenStreams returns an error if the file ends within a packet. A missing mark of the last
// page is no error, because some programs do not write it.
func (w *pageWalk) checkOpenStreams() error {
	for _, s := range w.open {
		if s.within {
			return errors.New("the file is cut off within an Ogg packet")
		}
	}
	return nil
}

// position returns the number of frames that are intact so far.
func (w *pageWalk) position() int64 { return w.ended + w.granule }
