package events

import (
	"cmp"
	"math"
	"slices"
)

// A cut cuts a stream into blocks. It holds the memory limit and the incomplete block.
type cut struct {
	keep, held int64  // maximum and current number of bytes in blocks
	begun      bool   // true if the magic bytes have been read
	pending    []byte // received bytes of an incomplete block
}

// blockCost is the memory that a block takes in addition to its content.
const blockCost = 128

// tapeLines is the maximum number of lines of a tape's clock. It is large, because times of early
// blocks must stay exact.
const tapeLines = 1 << 20

// OpenTape returns the tape of a whole stream, such as a mapped file. The stream must stay valid
// while the tape is used. If the stream is damaged or truncated, the tape has the whole blocks
// before the damage, and [TapeState].Err reports it.
func OpenTape(stream []byte) *Tape {
	t := &Tape{skim: decoder{clock: clock{most: tapeLines}}, cut: cut{keep: math.MaxInt64}}
	rest, err := t.takeBlocks(stream, false)
	switch {
	case err != nil:
	case !t.cut.begun:
		err = checkMagic(stream)
	case !t.skim.ended && len(rest) < blockHead:
		err = damaged("%s", noLastBlock)
	case !t.skim.ended:
		err = damaged("%s", tornBlock)
	}
	t.err = err
	return t
}

// NewTape returns an empty tape for a stream that is still being recorded. The stream is written by
// [Feed.WriteStream], or copied from a connection by io.Copy. The tape keeps at most the given
// number of bytes of blocks, 256 MiB for 0. New blocks displace the oldest blocks, but names are
// kept.
func NewTape(keep int64) *Tape {
	keep = max(cmp.Or(keep, 256<<20), 1)
	return &Tape{skim: decoder{clock: clock{most: tapeLines}}, cut: cut{keep: keep}}
}

// Write appends the next part of a stream, of any size, to a tape made by NewTape. It returns
// ErrDamaged for damage; earlier whole blocks are kept.
func (t *Tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return 0, t.err
	}
	for rest := p; len(rest) > 0 && t.err == nil; {
		part := rest[:min(len(rest), maxBlock)] // This limits the size of pending.
		rest = rest[len(part):]
		if len(t.cut.pending) > 0 {
			t.cut.pending = append(t.cut.pending, part...)
			part = t.cut.pending
		}
		var left []byte
		left, t.err = t.takeBlocks(part, true)
		if len(left) < len(part) || len(t.cut.pending) == 0 { // Otherwise left is already in pending.
			t.cut.pending = append(t.cut.pending[:0], left...) // append copies left, which may share memory with pending.
		}
	}
	if t.err != nil {
		t.cut.pending = nil
		return 0, t.err
	}
	return len(p), nil
}

// takeBlocks processes the whole blocks at the front of b and returns the remaining bytes. If clone
// is set it copies the blocks, because the caller will reuse b.
func (t *Tape) takeBlocks(b []byte, clone bool) (rest []byte, err error) {
	if !t.cut.begun {
		if len(b) < len(magic) {
			return b, nil
		}
		if err := checkMagic(b); err != nil {
			return nil, err
		}
		t.cut.begun, b = true, b[len(magic):]
	}
	for len(b) >= blockHead && !t.skim.ended {
		n, ok := blockLen(b)
		if !ok {
			return nil, errTooLong()
		}
		if len(b) < n {
			break
		}
		kind, content, ok := openedBlock(b[:n])
		if !ok {
			return nil, errWrongSum()
		}
		if err := t.takeBlock(kind, content, clone); err != nil {
			return nil, err
		}
		b = b[n:]
	}
	if t.skim.ended {
		return nil, nil
	}
	return b, nil
}

func (t *Tape) takeBlock(kind byte, content []byte, clone bool) error {
	d := &t.skim
	if err := d.openContent(kind, content); err != nil {
		return err
	}
	if kind != blockRecords && kind != blockOpen {
		return nil
	}
	b := Block{Number: t.next, Row: -1, kind: kind, names: len(d.names), at: d.clock.last, content: content}
	t.next++
	b.To = d.clock.nanos(d.clock.last.Tick)
	if b.From = b.To; kind == blockRecords {
		b.Row, b.Records = d.row, min(int(d.left), len(d.rest.rest)/2) // A record takes at least two bytes.
		b.From = min(d.clock.nanos(d.last), b.To)
	}
	if clone {
		b.content = slices.Clone(content)
	}
	t.end = max(t.end, b.To)
	t.blocks = append(t.blocks, b)
	t.cut.held += blockCost + int64(len(content))
	drop := 0
	for t.cut.held > t.cut.keep && drop < len(t.blocks)-1 {
		t.cut.held -= blockCost + int64(len(t.blocks[drop].content))
		t.forgotten = addCapped(t.forgotten, uint64(t.blocks[drop].Records))
		drop++
	}
	t.blocks = t.blocks[drop:]
	return nil
}
