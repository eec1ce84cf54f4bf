package pak

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
)

// chunkSize is the unit of patchers: they load the chunks of a file that the old version lacks.
const chunkSize = 1 << 20

const (
	// restartSize is the mean distance, in bytes, of files that begin at a chunk whatever their
	// predecessors are.
	restartSize = 32 << 20
	// minCut and maxCut bound the unused bytes at the end of a chunk.
	minCut = 32 << 10
	maxCut = 128 << 10
	// largestStep is the alignment of the largest data.
	largestStep = 64 << 10
)

// A layout gives data its places, one after the other. The places depend on the names and sizes
// alone, and an edit moves little: data that shrinks or grows by less than the room behind it moves
// no other data, and other edits move data up to the next file that begins at a chunk. Two kinds of
// files begin at a chunk:
//
//   - A file that would cross into the next chunk, together with some files just before it. The
//     hashes of their names decide which file is the first, so the choice survives small moves.
//   - A file chosen by its hash alone, once in restartSize. So an added or removed file moves no
//     more than restartSize, or moves files by whole chunks.
type layout struct {
	end  int64     // end of the added data
	held []*packed // files whose places may still change
}

// placeData gives data a place behind the earlier data. It returns the files whose places are now
// final, in order.
func (l *layout) placeData(p *packed) (final []*packed) {
	step := stepFor(p.entry.Packed)
	size := upToMultiple(p.entry.Packed, step)
	at := upToMultiple(l.end, step)
	switch boundary := chunkEnd(l.end); {
	case l.end >= restartSize && restarts(p.hash, size):
		final = l.finalizePlaces()
		l.end = boundary
	case len(l.held) > 0 && at+size > boundary:
		first := l.cutBehind(boundary, min(max(size/4, minCut), maxCut))
		final = l.finalizePlaces()
		if first >= 0 {
			l.end = boundary
			for _, moved := range final[first:] {
				l.placeAtEnd(moved)
			}
		}
	}
	l.placeAtEnd(p)
	if len(l.held) > 0 || chunkEnd(l.end)-l.end <= maxCut {
		l.held = append(l.held, p)
		return final
	}
	return append(final, p)
}

// finalizePlaces makes all places final.
func (l *layout) finalizePlaces() (final []*packed) {
	final, l.held = l.held, nil
	return final
}

// placeAtEnd gives data the place at the end.
func (l *layout) placeAtEnd(p *packed) {
	step := stepFor(p.entry.Packed)
	p.entry.Offset = upToMultiple(l.end, step)
	l.end = upToMultiple(p.entry.Offset+p.entry.Packed, step)
}

// cutBehind returns the index of the first held file that moves behind a boundary, if at most
// unused bytes before the boundary may stay empty. It may be the number of held files; it is -1 if
// none moves.
func (l *layout) cutBehind(boundary, unused int64) (first int) {
	first = -1
	least := uint64(0)
	for i, p := range l.held {
		end := upToMultiple(p.entry.Offset+p.entry.Packed, stepFor(p.entry.Packed))
		if boundary-end <= unused && (first < 0 || p.hash < least) {
			first, least = i+1, p.hash
		}
	}
	return first
}

// restarts reports whether data begins at a chunk wherever the data before it ends: how
// likely that is grows with its size.
func restarts(hash uint64, size int64) bool {
	return float64(hash)*restartSize < float64(size)*(1<<64)
}

// stepFor returns the alignment of both ends of the room for data of a size. Large data gets
// one part in 64 more than it needs, on average, so that it can grow a little.
func stepFor(size int64) int64 {
	if size < largeSize {
		return smallAlign
	}
	return min(max(pageSize, int64(1)<<(bits.Len64(uint64(size))-1)/32), largestStep)
}

// upToMultiple rounds an offset or a size up to a multiple.
func upToMultiple(n, step int64) int64 { return (n + step - 1) / step * step }

// chunkEnd is where the chunk ends that data up to an offset is in.
func chunkEnd(offset int64) int64 { return upToMultiple(offset, chunkSize) }

// directoryAt is where a directory begins that follows the data: so that it is in as few
// chunks as can be, unless the pak is small.
func directoryAt(end, size int64) int64 {
	chunks := func(at int64) int64 { return (chunkEnd(at+size) - at/chunkSize*chunkSize) / chunkSize }
	at := upToMultiple(end, pageSize)
	if next := chunkEnd(at); at >= restartSize && chunks(next) < chunks(at) {
		return next
	}
	return at
}

const (
	// Content of more than twice pieceSize is compressed by pieces of that size, a frame
	// each, so that an edit does not change the frames of other pieces.
	pieceSize = 512 << 10
	// pieceStep is the multiple to which skipped frames fill up pieces, so that a piece stays in
	// place when earlier pieces shrink or grow a little.
	pieceStep = 8 << 10
	// skippable begins a frame that is skipped; its size follows.
	skippable = 0x184d2a50
)

func newFrameEncoder(level, workers int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(workers),
		zstd.WithWindowSize(maxWindow), zstd.WithEncoderCRC(false))
}

// A packed is a file in its stored form.
type packed struct {
	i     int // index of the file
	entry Entry
	hash  uint64 // hash of the name
	data  []byte // nil if it is in
	old   *oldEntry
}

// packOrReuse reads and compresses a file, or finds it in the pak that may be reused.
func (w *writer) packOrReuse(i int) (packed, error) {
	f := &w.files[i]
	p := packed{i: i, entry: Entry{Name: f.Name, Gone: f.Gone}, hash: hashOf(f.Name)}
	if f.Gone || w.reuse.reuseKnown(&p, f.Digest, f.Size) {
		return p, nil
	}
	content, err := f.Read()
	if err != nil {
		return p, err
	}
	size, digest := int64(len(content)), hashing.DigestOf(content)
	if w.reuse.reuseKnown(&p, digest, size) {
		return p, nil
	}
	p.data, p.entry.Size, p.entry.Packed, p.entry.Digest = content, size, size, digest
	if w.encoder != nil && len(content) > 0 {
		if small := compressFrames(w.encoder, content); len(small) < len(content)-len(content)/16 {
			p.data, p.entry.Packed, p.entry.Compressed = small, int64(len(small)), true
		}
	}
	return p, nil
}

// compressFrames returns the frames of some content.
func compressFrames(encoder *zstd.Encoder, content []byte) (frames []byte) {
	if len(content) <= 2*pieceSize {
		return encoder.EncodeAll(content, nil)
	}
	for len(content) > pieceSize {
		frames = fillPiece(encoder.EncodeAll(content[:pieceSize], frames))
		content = content[pieceSize:]
	}
	return encoder.EncodeAll(content, frames)
}

// fillPiece appends a frame that is skipped, up to a multiple of pieceStep.
func fillPiece(frames []byte) []byte {
	n := -len(frames) & (pieceStep - 1)
	if n == 0 {
		return frames
	}
	if n < 8 {
		n += pieceStep
	}
	frames = binary.LittleEndian.AppendUint32(frames, skippable)
	frames = binary.LittleEndian.AppendUint32(frames, uint32(n-8))
	return append(frames, make([]byte, n-8)...)
}
