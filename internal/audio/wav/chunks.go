package wav

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/fileformat"
)

// A layout describes the chunks of a file and their positions.
type layout struct {
	format          format
	dataAt, dataLen int64
	fact            int64 // number of frames in the fact chunk; 0 if unknown
	lacks           int64 // number of bytes that are missing according to the RIFF header
	loops           LoopChunks
}

const (
	riffHeader  = 12
	chunkHeader = 8
	unknownSize = 1<<32 - 1 // placeholder for a size that the ds64 chunk or the end of the file determines
)

// readLayout reads the chunks of a file of the given size that starts with head. If early is set,
// it returns as soon as it has read both the format and the data header.
func readLayout(head []byte, size int64, early bool) (*layout, error) {
	if len(head) < riffHeader {
		return nil, errors.New("wav: the file ends within its first 12 bytes")
	}
	kind := string(head[:4])
	switch {
	case kind == "RIFX":
		return nil, errors.New("wav: big-endian files (RIFX) are not supported; save the sound as RIFF WAVE")
	case kind != "RIFF" && kind != "RF64":
		return nil, errors.New("wav: not a WAVE file, which must start with \"RIFF\"")
	case string(head[8:12]) != "WAVE":
		return nil, fmt.Errorf("wav: the RIFF file has the kind %q, want \"WAVE\"", head[8:12])
	}
	r := reader{
		long:    kind == "RF64",
		riffEnd: int64(binary.LittleEndian.Uint32(head[4:])) + 8,
		size:    size,
	}
	r.lacks = r.missingBytes()
	at := int64(riffHeader)
	for count := 0; at+chunkHeader <= size; count++ {
		if at+chunkHeader > int64(len(head)) {
			return nil, fileformat.ErrShortHead
		}
		if count == maxChunks {
			return nil, fmt.Errorf("wav: the file has more than %d chunks; it is damaged", maxChunks)
		}
		id := string(head[at : at+4])
		n := int64(binary.LittleEndian.Uint32(head[at+4:]))
		at += chunkHeader
		if id == "data" {
			n = r.trueDataSize(n, at)
		}
		if n > size-at {
			if err := r.cutShort(id, n, at); err != nil {
				return nil, err
			}
			n = size - at
		}
		body := head[min(at, int64(len(head))):min(at+n, int64(len(head)))]
		if err := r.readRIFFChunk(id, body, at, n); err != nil {
			return nil, err
		}
		if early && r.hasFormat && r.hasData {
			break
		}
		at += n + padding(head, at+n, n)
	}
	switch {
	case !r.hasFormat:
		return nil, errors.New("wav: the \"fmt \" chunk is missing; the file is damaged")
	case !r.hasData:
		return nil, errors.New("wav: the \"data\" chunk is missing; the file has no sound or is cut short")
	case !early && at < size && r.lacks > 0:
		return nil, errors.New("wav: the file is cut short, within the header of a chunk; copy or export it again")
	}
	return &r.layout, nil
}

// isStreamedSize reports whether a size of about 2 or 4 GiB means "until the end of the file".
// Programs that cannot seek back to correct the size write such values.
func isStreamedSize(n int64) bool {
	const about = 1 << 16
	return n > unknownSize-about || n > 1<<31-about && n < 1<<31+about
}

// Missing returns how many bytes of a file of the given size are missing according to its RIFF
// header, although all its chunks are complete. Then chunks after the sound may be lost, or the
// header is wrong. Missing ignores up to 8 bytes, because some programs count the header itself, or
// padding that they do not write.
func Missing(head []byte, size int64) int64 {
	l, err := readLayout(head, size, true)
	if err != nil || l.lacks <= 8 {
		return 0
	}
	return l.lacks
}

// missingBytes returns how many bytes are missing according to the RIFF header.
func (r *reader) missingBytes() int64 {
	if isStreamedSize(r.riffEnd - chunkHeader) {
		return 0
	}
	return max(0, r.riffEnd-r.size)
}

// cutShort returns an error if a chunk of n bytes extends beyond the end of the file. Missing bytes
// that only the RIFF header declares are no error, because they need not be chunks.
func (r *reader) cutShort(id string, n, at int64) error {
	lost := n - (r.size - at)
	switch {
	case id == "data" && !r.hasData:
		if isStreamedSize(n) {
			return nil
		}
		return fmt.Errorf("wav: the file is cut short: %d of %d bytes of sound are missing; copy or export it again", lost, n)
	case r.lacks > 0:
		return fmt.Errorf("wav: the file is cut short: %d of %d bytes of its %q chunk are missing; copy or export it again", lost, n, id)
	}
	return nil
}

// A reader is the state of reading the chunks of a file.
type reader struct {
	layout
	hasFormat, hasData bool
	long               bool  // set if the file is RF64; a ds64 chunk may hold its data size
	longData           int64 // data size according to the ds64 chunk
	riffEnd, size      int64 // end of the file according to the RIFF header, and according to the file system
}

// trueDataSize returns the real size of the data chunk at the given offset, whose header declares n
// bytes.
func (r *reader) trueDataSize(n, at int64) int64 {
	switch {
	case n == unknownSize && r.longData > 0:
		return r.longData
	case n == 0 && (r.riffEnd <= at || r.riffEnd == unknownSize+8):
		return r.size - at
	}
	return n
}

// readRIFFChunk reads a chunk of n bytes at the given offset. body is the part of the chunk that is
// within the head. If a kind of chunk occurs several times, the first one is used.
func (r *reader) readRIFFChunk(id string, body []byte, at, n int64) error {
	switch id {
	case "fmt ", "ds64", "fact":
		if int64(len(body)) < min(n, maxFormat) {
			return fileformat.ErrShortHead
		}
	}
	switch {
	case id == "fmt " && !r.hasFormat:
		f, err := readFormat(body)
		if err != nil {
			return fmt.Errorf("wav: %w", err)
		}
		r.format, r.hasFormat = f, true
	case id == "data" && !r.hasData:
		r.dataAt, r.dataLen, r.hasData = at, n, true
	case id == "ds64" && r.long && len(body) >= 16:
		r.longData = int64(binary.LittleEndian.Uint64(body[8:]) & (1<<63 - 1))
	case id == "fact" && len(body) >= 4 && r.fact == 0:
		r.fact = int64(binary.LittleEndian.Uint32(body))
	default:
		r.loops.Take(id, body)
	}
	return nil
}

// padding returns 1 if a padding byte follows a chunk of n bytes that ends at offset end. Some
// programs omit the byte. Then the name of the next chunk follows at once and starts with a letter
// instead of a zero.
func padding(head []byte, end, n int64) int64 {
	if n%2 == 0 || end+4 <= int64(len(head)) && isName(head[end:end+4]) {
		return 0
	}
	return 1
}

func isName(p []byte) bool {
	for _, c := range p {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
