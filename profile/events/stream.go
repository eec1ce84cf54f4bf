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

// A Stream reads a recorder's stream once, from the beginning. One goroutine at a time may use it.
type Stream struct {
	from  *bufio.Reader
	begun bool
	err   error
	block []byte
	decoder
}

// Read returns a Stream that reads from r. It reads nothing until [Stream.All] is called. If the
// stream is live, All yields the events of each block as soon as the block is complete.
func Read(r io.Reader) *Stream { return &Stream{from: bufio.NewReader(r)} }

// All yields the events, block by block. Events of one worker come in the order of their ends;
// events of different workers are interleaved by buffer. After a break, the next loop continues
// with the next event. An event's Values and Data are valid until the next event; strings may be
// kept.
//
// If there is an error, All yields it last. It is [ErrDamaged] if the stream is damaged or ends
// without its last block, otherwise the reader's error.
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

// Workers returns the names of the rows read so far. To know all rows before the first event, read
// the file twice.
func (s *Stream) Workers() []string { return slices.Clone(s.rows) }

// Dropped returns how many records are missing up to the reader's position. The recorder dropped
// them, or a [Feed] omitted them for a slow reader. At the end of the stream it includes all
// records that the recorder dropped before Close.
func (s *Stream) Dropped() int64 { return addCapped(s.dropped, uint64(s.lost)) }

// Start returns the time of day when the recording began. It is the zero time before the first
// read.
func (s *Stream) Start() time.Time {
	return startTime(s.began)
}

func startTime(unixNanos int64) time.Time {
	if unixNanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, unixNanos)
}

// readBlock reads the next block. It returns io.EOF after the block that ends the stream.
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

// checkMagic checks the first bytes of a stream.
func checkMagic(got []byte) error {
	const version = len(magic) - 1
	switch {
	case len(got) < len(magic):
		return damaged("%s", tooShort)
	case string(got[:version]) != magic[:version]:
		return damaged("the file is not a recording; name an .events file")
	case got[version] != magic[version]:
		return fmt.Errorf("events: read: stream of version %d: this program reads version %d", got[version], magic[version])
	}
	return nil
}

// These messages describe damage.
const (
	tooShort    = "the file is too short for a recording"
	noLastBlock = "the last block is missing: the recorder was not closed, or the file is incomplete"
	tornBlock   = "the file is truncated within a block"
)

func errTooLong() error  { return damaged("a block claims to have more than %d bytes", maxBlock) }
func errWrongSum() error { return damaged("the checksum of a block does not match") }

// torn returns ErrDamaged for truncated data. It wraps other read errors.
func torn(err error, what string) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("%s", what)
	}
	return fmt.Errorf("events: read: %w", err)
}
