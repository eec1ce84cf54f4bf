package pak

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
)

// chunkSize is the size of the chunks that game patchers transfer. A patcher downloads the chunks
// that the old version lacks.
const chunkSize = 1 << 20

const (
	// restartSize is the mean distance in bytes between files that always begin at a chunk
	// boundary.
	restartSize = 32 << 20
	// minCut and maxCut limit the number of unused bytes at the end of a chunk.
	minCut      = 32 << 10
	maxCut      = 128 << 10
	largestStep = 64 << 10
)

// A layout assigns ascending offsets to data. The offsets depend only on names and sizes, so that
// an edit moves little data. Data that shrinks, or that grows into the free space after it, moves
// no other data. Other edits move data only up to the next file that begins at a chunk boundary.
// Two kinds of files begin at a chunk boundary:
//
//   - A file that would cross into the next chunk, with some files just before it. The hashes of the names choose the first of these files, so the choice survives small moves.
//   - A file chosen by the hash of its name, on average once every restartSize bytes. Adding or removing a file therefore moves at most restartSize bytes, or moves files by whole chunks.
type layout struct {
	end  int64     // offset of the end of the data
	held []*packed // files whose offsets may still change
}

// placeData appends data and assigns an offset. It returns the files whose offsets are now final,
// in order.
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

// finalizePlaces returns the remaining files, whose offsets are now final.
func (l *layout) finalizePlaces() (final []*packed) {
	final, l.held = l.held, nil
	return final
}

func (l *layout) placeAtEnd(p *packed) {
	step := stepFor(p.entry.Packed)
	p.entry.Offset = upToMultiple(l.end, step)
	l.end = upToMultiple(p.entry.Offset+p.entry.Packed, step)
}

// cutBehind returns the index of the first held file that moves to the chunk boundary, or -1 if no
// file moves. The index may equal the number of held files. A move must not leave more bytes unused
// before the boundary than the argument unused allows.
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

// restarts reports whether data always begins at a chunk boundary. The probability grows with the
// size.
func restarts(hash uint64, size int64) bool {
	return float64(hash)*restartSize < float64(size)*(1<<64)
}

// stepFor returns the alignment for the start and end of data of the given size. The alignment
// gives large data about 1/64 more space, so that it can grow a little.
func stepFor(size int64) int64 {
	if size < largeSize {
		return smallAlign
	}
	return min(max(pageSize, int64(1)<<(bits.Len64(uint64(size))-1)/32), largestStep)
}

func upToMultiple(n, step int64) int64 { return (n + step - 1) / step * step }

// chunkEnd returns the end of the chunk that contains the byte before offset.
func chunkEnd(offset int64) int64 { return upToMultiple(offset, chunkSize) }

// directoryAt returns the offset of a directory after data that ends at end. Except in small paks,
// the directory overlaps as few chunks as possible.
func directoryAt(end, size int64) int64 {
	chunks := func(at int64) int64 { return (chunkEnd(at+size) - at/chunkSize*chunkSize) / chunkSize }
	at := upToMultiple(end, pageSize)
	if next := chunkEnd(at); at >= restartSize && chunks(next) < chunks(at) {
		return next
	}
	return at
}

const (
	// Content of more than twice pieceSize is compressed in pieces, with one frame for each piece.
	// An edit of one piece then changes no frames of other pieces.
	pieceSize = 512 << 10
	// pieceStep is the alignment of pieces. Skippable frames pad each piece, so that later pieces
	// keep their offsets when a piece grows a little.
	pieceStep = 8 << 10
	// skippable is the magic number of a skippable Zstandard frame.
	skippable = 0x184d2a50
)

func newFrameEncoder(level, workers int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(workers),
		zstd.WithWindowSize(maxWindow), zstd.WithEncoderCRC(false))
}

// A packed is a file in its stored form.
type packed struct {
	i     int // index of the file in Create's list
	entry Entry
	hash  uint64 // hash of the name
	data  []byte // data as it is stored; nil if the data is copied from the reused pak
	old   *oldEntry
}

// packOrReuse finds a file's data in the reused pak, or else reads and compresses the file.
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

// fillPiece appends a skippable frame that pads the data to a multiple of pieceStep.
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
