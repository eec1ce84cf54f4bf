package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/audio/mp3"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/opus"
)

// verifiedHead is the number of bytes that Verify reads to identify the format.
const verifiedHead = 4 << 10

// Verify checks the frames of an MP3 file, or the pages of an Ogg file, without decoding them. It
// returns a line that describes the damage and the second where it starts. It returns "" for an
// intact file and for other formats.
func Verify(r io.ReaderAt, size int64) string {
	head := make([]byte, min(size, verifiedHead))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return "" // ignored, because the recipe reports the error
	}
	seconds, err := 0.0, error(nil)
	switch kind, _ := Identify(head); kind {
	case MP3:
		seconds, err = mp3.Verify(r, size)
	case Vorbis, Opus:
		seconds, err = verifyOgg(io.NewSectionReader(r, 0, size), head, kind)
	}
	if err != nil {
		return fmt.Sprintf("the sound can be read only up to %.1f s: %v; copy or export the file again", seconds, err)
	}
	return ""
}

// verifyOgg returns the number of seconds before the first damage of an Ogg file.
func verifyOgg(r io.Reader, head []byte, kind Kind) (float64, error) {
	magic, rate, skipped := []byte("\x01vorbis"), 0, 0
	if kind == Opus {
		magic = []byte("OpusHead")
	}
	for at := 0; rate == 0; {
		p, next, err := ogg.ReadPage(head, at)
		if err != nil {
			return 0, err
		}
		at = next
		switch {
		case !bytes.HasPrefix(p.Body, magic):
		case kind == Opus && len(p.Body) >= 12:
			rate, skipped = opus.Rate, int(binary.LittleEndian.Uint16(p.Body[10:]))
		case kind == Vorbis && len(p.Body) >= 16:
			rate = max(1, int(binary.LittleEndian.Uint32(p.Body[12:])))
		}
	}
	whole, err := ogg.Verify(r, magic)
	return float64(max(0, whole-int64(skipped))) / float64(rate), err
}
