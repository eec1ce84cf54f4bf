package events

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// A Stream reads what a recorder wrote, once, from the front. One goroutine at a
// time may use it.
type Stream struct {
	from  *bufio.Reader
	begun bool
	err   error
	block []byte
	decoder
}

// Read returns the stream that r begins with. Nothing is read before [Stream.All]
// is, and of a live stream no more than whole blocks are waited for.
func Read(r io.Reader) *Stream { return &Stream{from: bufio.NewReader(r)} }

// All yields the events, block by block: those of one worker in the order in which
// they ended, those of several workers mixed as their buffers came. After a break
// the next loop goes on with the event after. The Values and Data of an event are
// overwritten by the next; strings may be kept.
//
// An error is the last thing that is yielded: one that is [ErrDamaged] if the
// stream is damaged or ends without the block that ends it, or that of the reader.
func (s *Stream) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var r record
		for {
			more, err := s.next(&r)
			if err == nil && !more {
				if s.err == nil {
					s.err = s.readBlock()
				}
				if s.err == nil {
					continue
				}
				if s.err == io.EOF {
					return
				}
				err = s.err
			}
			if err != nil {
				s.err = err
				yield(Event{}, err)
				return
			}
			if !yield(s.event(&r), nil) {
				return
			}
		}
	}
}

func (d *decoder) event(r *record) Event {
	return Event{
		Kind:   r.kind,
		Worker: d.row,
		Name:   d.names[r.name],
		Detail: d.names[r.detail],
		Time:   r.start,
		Dur:    r.dur,
		Values: r.values,
		Flow:   r.flow,
		Data:   r.data,
	}
}

// Workers returns the names of the rows that are known so far. To have all before
// the first event, read a file twice.
func (s *Stream) Workers() []string { return slices.Clone(s.rows) }

// Dropped returns how many records are missing up to here: those that the recorder
// dropped and those that a [Feed] left out for this reader, who was slow. At the
// end of the stream it is all that the recorder dropped until it was closed, also
// of workers of which nothing followed.
func (s *Stream) Dropped() int64 { return addCapped(s.dropped, uint64(s.lost)) }

// Start returns the time of day at which the recording began, the zero time if
// nothing has been read yet.
func (s *Stream) Start() time.Time {
	return startTime(s.began)
}

func startTime(unixNanos int64) time.Time {
	if unixNanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, unixNanos)
}

// readBlock reads the next block and takes it in. The error is io.EOF where the
// stream ends as it should.
func (s *Stream) readBlock() error {
	if s.ended {
		return io.EOF
	}
	if !s.begun {
		if err := s.readMagic(); err != nil {
			return err
		}
		s.begun = true
	}
	s.block = slices.Grow(s.block[:0], blockHead)[:blockHead]
	if _, err := io.ReadFull(s.from, s.block); err != nil {
		return torn(err, noLastBlock)
	}
	n, ok := blockLen(s.block)
	if !ok {
		return errTooLong()
	}
	s.block = slices.Grow(s.block, n-blockHead)[:n]
	if _, err := io.ReadFull(s.from, s.block[blockHead:]); err != nil {
		return torn(err, tornBlock)
	}
	kind, content, ok := openedBlock(s.block)
	if !ok {
		return errWrongSum()
	}
	return s.openContent(kind, content)
}

func (s *Stream) readMagic() error {
	var got [len(magic)]byte
	if _, err := io.ReadFull(s.from, got[:]); err != nil {
		return torn(err, tooShort)
	}
	return checkMagic(got[:])
}

// checkMagic checks what a stream begins with.
func checkMagic(got []byte) error {
	const version = len(magic) - 1
	switch {
	case len(got) < len(magic):
		return damaged("%s", tooShort)
	case string(got[:version]) != magic[:version]:
		return damaged("it does not begin as one: is it an .events file?")
	case got[version] != magic[version]:
		return fmt.Errorf("events: read: stream of version %d: this program reads version %d", got[version], magic[version])
	}
	return nil
}

// What is wrong with a stream.
const (
	tooShort    = "it is too short to be one"
	noLastBlock = "it ends without its last block: it was not closed, or is not all there"
	tornBlock   = "it ends within a block: it was torn off there"
)

func errTooLong() error  { return damaged("a block claims to have more than %d bytes", maxBlock) }
func errWrongSum() error { return damaged("a block has a wrong check sum") }

// torn tells the end of the data from an error in reading it.
func torn(err error, what string) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("%s", what)
	}
	return fmt.Errorf("events: read: %w", err)
}
