package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
)

// A mutator makes damaged files from valid ones.
type mutator struct {
	rand   *rand.Rand
	starts []mediaFile
}

// mediaLargest is the maximum total size of repeated parts, in bytes.
const mediaLargest = 1 << 20

// nextMutation makes one to twelve random changes to a valid file.
func (m *mutator) nextMutation() mediaFile {
	f := m.starts[m.rand.IntN(len(m.starts))]
	f.data, f.want = bytes.Clone(f.data), wantAnything
	if isModel(f.ext) && m.rand.IntN(8) > 0 {
		// Most other kinds of changes make a text invalid.
		for range 1 + m.rand.IntN(3) {
			f.data = m.damageModel(f.ext, f.data)
		}
		return f
	}
	most := 12
	if f.ext == ".wgsl" { // naga stops early in a badly damaged shader
		most = 2
	}
	for range 1 + m.rand.IntN(1+m.rand.IntN(most)) {
		f.data = m.damageBytes(f)
		f.data = f.data[:min(len(f.data), mediaLargest)]
	}
	// A decoder would stop at a wrong checksum.
	if m.rand.IntN(8) > 0 {
		switch f.ext {
		case ".png":
			fixSums(f.data)
		case ".ogg":
			fixPages(f.data)
		}
	}
	return f
}

// damageBytes makes one random change.
func (m *mutator) damageBytes(f mediaFile) []byte {
	data := f.data
	if len(data) < 16 {
		return append(data, byte(m.rand.Uint32()))
	}
	if len(shaderPieces[f.ext]) > 0 && m.rand.IntN(4) > 0 {
		return m.damageShader(f.ext, data)
	}
	at := m.favoredOffset(len(data))
	switch m.rand.IntN(10) {
	case 0, 1:
		data[at] ^= 1 << m.rand.IntN(8)
	case 2, 3: // set a byte to a value with a meaning in many formats
		data[at] = pick(m.rand, []byte{0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 64, 0x7f, 0x80, 0xfe, 0xff, 0xd9, 0xda, 0x2c, 0x3b, '"', '{', '['})
	case 4:
		putNumber(m.rand, data[at:])
	case 5:
		data = data[:at]
	case 6: // join the start of this file and the end of another
		other := m.pickSameKind(f.ext)
		data = append(data[:at], other[m.rand.IntN(len(other)+1):]...)
	case 7:
		end := min(len(data), at+1+m.rand.IntN(64))
		times := 1 + m.rand.IntN(3)
		if m.rand.IntN(16) == 0 {
			times = m.rand.IntN(2000)
		}
		data = slices.Insert(data, at, bytes.Repeat(data[at:end], times)...)
	case 8:
		data = slices.Delete(data, at, min(len(data), at+1+m.rand.IntN(64)))
	case 9: // damage a chunk, if the format has chunks
		data = m.damageChunk(f.ext, data)
	}
	return data
}

// favoredOffset returns a random offset, often near the start of the file, which contains sizes and
// tables.
func (m *mutator) favoredOffset(n int) int {
	if m.rand.IntN(2) == 0 {
		n = min(n, 128)
	}
	return m.rand.IntN(n)
}

func (m *mutator) pickSameKind(ext string) []byte {
	for {
		if f := m.starts[m.rand.IntN(len(m.starts))]; f.ext == ext {
			return f.data
		}
	}
}

// damageChunk copies, drops, swaps or lengthens a chunk, if the format has chunks.
func (m *mutator) damageChunk(ext string, data []byte) []byte {
	chunks := cutChunks(ext, data)
	if len(chunks) < 3 {
		return data
	}
	i, j := 1+m.rand.IntN(len(chunks)-1), 1+m.rand.IntN(len(chunks)-1)
	switch m.rand.IntN(5) {
	case 0:
		chunks = slices.Insert(chunks, j, chunks[i])
	case 1:
		chunks = slices.Delete(chunks, i, i+1)
	case 2:
		chunks[i], chunks[j] = chunks[j], chunks[i]
	case 3:
		times := min(m.rand.IntN(2000), mediaLargest/max(1, len(chunks[i])))
		chunks = slices.Insert(chunks, j, slices.Repeat(chunks[i:i+1], times)...)
	case 4:
		if c := bytes.Clone(chunks[i]); len(c) >= 8 {
			putNumber(m.rand, c[pick(m.rand, []int{0, 2, 4}):]) // one of these offsets is the offset of the length field
			chunks[i] = c
		}
	}
	return bytes.Join(chunks, nil)
}

// cutChunks splits a file into its chunks and the bytes before them.
func cutChunks(ext string, data []byte) [][]byte {
	var head int
	var size func([]byte) int // returns the size of the chunk that starts here
	switch ext {
	case ".png":
		head, size = 8, func(b []byte) int { return 12 + int(binary.BigEndian.Uint32(b)) }
	case ".webp", ".wav":
		head, size = 12, func(b []byte) int { n := int(binary.LittleEndian.Uint32(b[4:])); return 8 + n + n&1 }
	case ".jpeg":
		head, size = 2, func(b []byte) int {
			if b[1] == 0xda { // a scan ends at the next marker
				for i := 2; i+1 < len(b); i++ {
					if b[i] == 0xff && b[i+1] != 0 && (b[i+1] < 0xd0 || b[i+1] > 0xd7) {
						return i
					}
				}
				return len(b)
			}
			return 2 + int(binary.BigEndian.Uint16(b[2:]))
		}
	case ".tiff": // the chunks are the entries of the first directory, if it is at the end
		if len(data) < 8 || data[0] != 'I' {
			return nil
		}
		head, size = int(binary.LittleEndian.Uint32(data[4:]))+2, func([]byte) int { return 12 }
	default:
		return nil
	}
	if head < 0 || head > len(data) {
		return nil
	}
	chunks := [][]byte{data[:head]}
	for rest := data[head:]; len(rest) > 0; {
		n := len(rest)
		if n >= 8 {
			n = max(1, min(n, size(rest)))
		}
		chunks = append(chunks, rest[:n])
		rest = rest[n:]
	}
	return chunks
}

// fixSums corrects the CRC of each chunk in a PNG.
func fixSums(data []byte) {
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > len(data)-at-12 {
			return
		}
		binary.BigEndian.PutUint32(data[at+8+n:], crc32.ChecksumIEEE(data[at+4:at+8+n]))
		at += 12 + n
	}
}

// putNumber writes a 16-bit or 32-bit number that is a common limit value.
func putNumber(r *rand.Rand, b []byte) {
	if len(b) < 4 {
		return
	}
	n := pick(r, []uint32{0, 1, 2, 3, 255, 256, 1000, 1024, 4096, 16383, 16384, 32767, 32768, 65535, 65536, 1 << 20, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1})
	switch r.IntN(4) {
	case 0:
		binary.LittleEndian.PutUint32(b, n)
	case 1:
		binary.BigEndian.PutUint32(b, n)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 3:
		binary.BigEndian.PutUint16(b, uint16(n))
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// commonest lists the keys with the highest counts.
func commonest(counts map[string]int, most int) []string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	lines := make([]string, 0, most)
	for _, k := range keys[:min(most, len(keys))] {
		lines = append(lines, fmt.Sprintf("%7d %s", counts[k], k))
	}
	return lines
}
