// Package flac decodes FLAC (RFC 9639) exactly, and verifies the checksums of every frame and of
// the decoded samples.
//
// The package exists because the FLAC library refuses 32-bit samples and blocks of 65536 samples,
// and prints to standard error.
package flac

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// Info describes a FLAC file, based on its header.
type Info struct {
	Rate     int
	Channels int
	Bits     int   // bits per sample
	Frames   int64 // number of frames; 0 if the header does not state it

	bits uint
	md5  [md5.Size]byte // MD5 of the samples; zero if the encoder computed none
	data int64          // size of the file
}

const (
	magic      = "fLaC"
	streamInfo = 34
	// leastFrame is the size of the shortest frame. mostSamples is the maximum number of samples
	// per channel in a frame.
	leastFrame  = 11
	mostSamples = 65536
	// unknownRatio limits the compression ratio of a file without a length in its header.
	unknownRatio = 8
)

// Probe reads the header of a file of the given size. head holds the file's first bytes.
func Probe(head []byte, size int64) (Info, error) {
	head, err := skipID3(head)
	if err != nil {
		return Info{}, err
	}
	if len(head) < 8+streamInfo || string(head[:4]) != magic || head[4]&0x7f != 0 {
		return Info{}, errors.New("the file has no FLAC header; export it again")
	}
	h := head[8 : 8+streamInfo]
	packed := binary.BigEndian.Uint64(h[10:]) // rate (20 bits), channels (3 bits), bits per sample (5 bits), frames (36 bits)
	i := Info{
		Rate:     int(packed >> 44),
		Channels: int(packed>>41&7) + 1,
		Bits:     int(packed>>36&31) + 1,
		Frames:   int64(packed & (1<<36 - 1)),
		md5:      [md5.Size]byte(h[18:]),
		data:     size,
	}
	i.bits = uint(i.Bits)
	switch most := size / leastFrame * mostSamples; {
	case i.Rate == 0:
		return Info{}, errors.New("the FLAC header has a sample rate of 0 Hz; export the file again")
	case i.Bits < 4:
		return Info{}, fmt.Errorf("FLAC samples of %d bits are not supported; save the sound with 16 or 24 bits", i.Bits)
	case i.Frames > most:
		return Info{}, fmt.Errorf("the FLAC header claims %d frames, more than a file of %d bytes can hold; copy or export the file again", i.Frames, size)
	}
	return i, nil
}

// Memory returns an upper bound on the bytes that Decode holds, excluding the file.
func (i Info) Memory() int64 {
	channels := int64(i.Channels)
	blocks := 8 * mostSamples * channels
	if known := 4 * i.Frames * channels; i.Frames > 0 && known <= i.backed() {
		return blocks + known
	}
	most := 4 * channels * i.Most()
	return blocks + most*9/4 // append holds both the new array and the previous array while it copies
}

// Most returns an upper bound on the number of frames that Decode returns.
func (i Info) Most() int64 {
	if i.Frames > 0 {
		return i.Frames
	}
	return i.data * 8 * unknownRatio / int64(i.Bits*i.Channels)
}

// backed limits the bytes that may be allocated before any samples are decoded.
func (i Info) backed() int64 { return 1<<20 + 32*i.data }

// skipID3 skips an ID3v2 tag before the file, which some programs write.
func skipID3(data []byte) ([]byte, error) {
	if len(data) < 10 || string(data[:3]) != "ID3" {
		return data, nil
	}
	size := 0
	for _, b := range data[6:10] {
		size = size<<7 | int(b&0x7f)
	}
	if 10+size > len(data) {
		return nil, errors.New("an ID3 tag before the FLAC file is too long; remove the tag")
	}
	return data[10+size:], nil
}

type decoder struct {
	info     Info
	channels [8][]int64
	sum      hash.Hash
	buffer   []byte // bytes of the current block, for the checksum
}

// Decode decodes a file. A sample of n bits is divided by 2^(n-1). Loops are read from the chunks
// of the original WAV file if the encoder preserved them (flac --keep-foreign-metadata), otherwise
// from comments; see vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	info, err := Probe(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	data, err = skipID3(data)
	if err != nil {
		return nil, err
	}
	at, about, err := readMetadataBlocks(data)
	if err != nil {
		return nil, err
	}
	d := &decoder{info: info, sum: md5.New()}
	c := &pcm.Clip{Rate: info.Rate, Channels: info.Channels}
	c.Samples = make([]float32, 0, min(info.Frames*int64(info.Channels), info.backed()/4))
	r := &bitReader{data: data, at: at}
	for !d.endsFrames(r, int64(c.Frames())) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := r.alignToByte()
		n, err := d.readFrameSamples(r)
		if err != nil {
			return nil, fmt.Errorf("FLAC, byte %d: %w", start, err)
		}
		if most := info.Most(); int64(c.Frames()+n) > most {
			if info.Frames == 0 {
				return nil, errors.New("the FLAC header does not give the length of this long file; encode the file again with flac")
			}
			return nil, fmt.Errorf("the file has more FLAC frames than the %d that its header declares; export the file again", most)
		}
		c.Samples = d.appendSamples(c.Samples, n)
	}
	if info.Frames > 0 && int64(c.Frames()) < info.Frames {
		return nil, fmt.Errorf("the file ends after %d of %d frames; copy it again", c.Frames(), info.Frames)
	}
	if info.md5 != [md5.Size]byte{} && !bytes.Equal(d.sum.Sum(nil), info.md5[:]) {
		return nil, errors.New("the sound does not match the MD5 in the FLAC header; the file is damaged, so export it again")
	}
	about.chunks.AddTo(c)
	if len(c.Loops) > 0 {
		return c, nil
	}
	if err := about.comments.AddLoop(c); err != nil {
		return nil, fmt.Errorf("FLAC: %w", err)
	}
	return c, nil
}

// endsFrames reports whether the last frame was read. Bytes after it, such as an ID3v1 tag, are
// ignored.
func (d *decoder) endsFrames(r *bitReader, frames int64) bool {
	if d.info.Frames > 0 {
		return frames >= d.info.Frames || r.alignToByte() == len(r.data)
	}
	rest := r.data[r.alignToByte():]
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte("TAG"))
}

// appendSamples appends a block to the clip's samples, and adds it to the checksum.
func (d *decoder) appendSamples(samples []float32, n int) []float32 {
	scale := float32(math.Ldexp(1, 1-d.info.Bits))
	bytes := (d.info.Bits + 7) / 8
	d.buffer = d.buffer[:0]
	for i := range n {
		for ch := range d.info.Channels {
			v := d.channels[ch][i]
			samples = append(samples, float32(v)*scale)
			for b := range bytes {
				d.buffer = append(d.buffer, byte(v>>(8*b)))
			}
		}
	}
	d.sum.Write(d.buffer)
	return samples
}

// loopBlocks holds the metadata blocks that may contain loops.
type loopBlocks struct {
	comments vorbiscomment.List
	chunks   wav.LoopChunks
}

// readMetadataBlocks reads the metadata blocks before the frames. It returns the offset of the
// first frame and the blocks that may contain loops.
func readMetadataBlocks(data []byte) (int, loopBlocks, error) {
	const application, vorbisComment = 2, 4
	var about loopBlocks
	for at := 4; ; {
		if at+4 > len(data) {
			return 0, loopBlocks{}, errors.New("the file ends within the FLAC header; copy it again")
		}
		head := binary.BigEndian.Uint32(data[at:])
		size := int(head & 0xffffff)
		if at += 4; size > len(data)-at {
			return 0, loopBlocks{}, errors.New("the file ends within the FLAC header; copy it again")
		}
		switch body := data[at : at+size]; head >> 24 & 0x7f {
		case vorbisComment:
			list, err := vorbiscomment.Read(body)
			if err != nil {
				return 0, loopBlocks{}, fmt.Errorf("FLAC: %w", err)
			}
			if about.comments == nil { // the format allows only one block with comments
				about.comments = list
			}
		case application:
			// The block starts with the ID "riff" and the header of a chunk.
			if len(body) >= 12 && string(body[:4]) == "riff" {
				about.chunks.Take(string(body[4:8]), body[12:])
			}
		}
		at += size
		if head>>31 != 0 {
			return at, about, nil
		}
	}
}
