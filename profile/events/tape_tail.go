package events

import (
	"encoding/binary"
	"io"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// WriteTail writes the latest events of a tape as a new stream for [Read]. The stream has all
// names, and each block with a record that ends at or after the given moment. So it includes scopes
// that began before that moment, if they ended later or were listed as open.
func (t *Tape) WriteTail(w io.Writer, from int64) error {
	t.mu.RLock()
	began, names, rows, blocks := t.skim.began, t.skim.names, t.skim.rows, t.blocks
	t.mu.RUnlock()
	out := appendStart([]byte(magic), startTime(began))
	out = appendTable(out, blockNames, 0, names)
	out = appendTable(out, blockRows, 0, rows)
	records := int64(0)
	for i := range blocks {
		b := &blocks[i]
		if b.To < from {
			out = appendMoment(out, b.at) // Later times are interpolated from this pair.
			continue
		}
		at := len(out)
		out = sealBlock(append(openBlock(out, b.kind), b.content...), at)
		records += int64(b.Records)
		if len(out) >= maxBlock {
			if _, err := w.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	_, err := w.Write(appendEnd(out, records, t.State().Dropped))
	return err
}

// appendMoment appends a block that contains only a tick and its time.
func appendMoment(b []byte, at fastclock.Pair) []byte {
	from := len(b)
	b = openBlock(b, blockOpen)
	b = binary.AppendUvarint(b, uint64(at.Tick))
	b = binary.AppendUvarint(b, uint64(at.Nanos))
	b = append(b, 0, 0, 0) // The block lists no rows.
	return sealBlock(b, from)
}
