package pak

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
)

const (
	// Content of more than twice pieceSize is compressed by pieces of that size, a frame
	// each, so that an edit does not change the frames of other pieces.
	pieceSize = 512 << 10
	// pieceStep is what frames of pieces are filled up to with a frame that is skipped, so
	// that they stay where they are when those before shrink or grow a little.
	pieceStep = 8 << 10
	// skippable begins a frame that is skipped; its size follows.
	skippable = 0x184d2a50
)

func newEncoder(level, workers int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(workers),
		zstd.WithWindowSize(maxWindow), zstd.WithEncoderCRC(false))
}

// A packed is a file in its stored form.
type packed struct {
	i     int // of the file
	entry Entry
	hash  uint64 // of the name
	data  []byte // nil if it is in
	old   *oldEntry
}

// pack reads and compresses a file, or finds it in the pak that may be reused.
func (w *writer) pack(i int) (packed, error) {
	f := &w.files[i]
	p := packed{i: i, entry: Entry{Name: f.Name, Gone: f.Gone}, hash: hashOf(f.Name)}
	if f.Gone || w.reuse.find(&p, f.Digest, f.Size) {
		return p, nil
	}
	content, err := f.Read()
	if err != nil {
		return p, err
	}
	size, digest := int64(len(content)), hashing.DigestOf(content)
	if w.reuse.find(&p, digest, size) {
		return p, nil
	}
	p.data, p.entry.Size, p.entry.Packed, p.entry.Digest = content, size, size, digest
	if w.encoder != nil && len(content) > 0 {
		if small := compress(w.encoder, content); len(small) < len(content)-len(content)/16 {
			p.data, p.entry.Packed, p.entry.Compressed = small, int64(len(small)), true
		}
	}
	return p, nil
}

// compress returns the frames of some content.
func compress(encoder *zstd.Encoder, content []byte) (frames []byte) {
	if len(content) <= 2*pieceSize {
		return encoder.EncodeAll(content, nil)
	}
	for len(content) > pieceSize {
		frames = fill(encoder.EncodeAll(content[:pieceSize], frames))
		content = content[pieceSize:]
	}
	return encoder.EncodeAll(content, frames)
}

// fill appends a frame that is skipped, up to a multiple of pieceStep.
func fill(frames []byte) []byte {
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
