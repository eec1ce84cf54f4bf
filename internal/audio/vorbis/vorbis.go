// Package vorbis decodes Ogg Vorbis (section numbers in this package refer to the Vorbis I
// specification, 2020-07-04).
//
// The package exists because the library jfreymuth/vorbis decodes some files of real games with
// errors of up to 0.07 of full scale. A hostile header of 30 bytes makes that library allocate
// gigabytes or never return.
//
// Samples are the same on every processor: this package computes in float64, rounds every product
// before adding it, and uses the sines of package detmath.
//
// Damage is an error. The memory for headers is limited, far above the needs of encoders.
package vorbis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
)

const maxChannels = 8

// Info describes a file, based on its headers and the positions of its pages.
type Info struct {
	Rate     int
	Channels int
	// Frames is an upper bound on the length in frames. It is exact unless the stream is a part of
	// a longer stream.
	Frames int64

	slack    int64 // upper bound on the number of decoded frames that are removed
	setup    int64 // size in bytes of the headers and their tables
	comments vorbiscomment.List
}

// Probe reads the headers and the page positions of a whole file.
func Probe(data []byte) (Info, error) {
	_, _, info, err := openStream(data, true)
	return info, err
}

// Memory returns an upper bound on the bytes that Decode holds, excluding the file.
func (i Info) Memory() int64 {
	return 4*(i.Frames+i.slack)*int64(i.Channels) + i.setup
}

// Decode decodes a file. Samples are not clipped: they may exceed 1. The positions of the pages
// determine where the sound starts and ends (appendix A.2). Comments may define a loop; see
// vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	packets, d, info, err := openStream(data, false)
	if err != nil {
		return nil, err
	}
	d.startPackets()
	samples := make([]float32, 0, (info.Frames+info.slack)*int64(d.channels))
	frames := func() int64 { return int64(len(samples) / d.channels) }
	// position is the stream position after the decoded frames; known is set once a page has
	// declared a position. early and late are the numbers of frames to remove at the start and at
	// the end.
	position, known, early, late := int64(0), false, int64(0), int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		packet, err := packets.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		before := frames()
		if samples = d.decodeAudioPacket(packet.Data, samples); frames() > info.Frames+info.slack {
			return nil, errors.New("vorbis: the file has more sound than its pages declare; the file is damaged, so export it again")
		}
		position += frames() - before
		if packet.Granule < 0 {
			continue
		}
		// If a page's position is less than the number of decoded frames, some frames are removed:
		// at the start for the first page, at the end for the last page.
		late = max(0, position-packet.Granule)
		if !known && !packet.Last {
			early, late = late, 0
		}
		position, known = packet.Granule, true
	}
	early = min(early, frames())
	late = min(late, frames()-early)
	samples = samples[early*int64(d.channels) : (frames()-late)*int64(d.channels)]
	reorderChannels(samples, d.channels)
	c := &pcm.Clip{Rate: d.rate, Channels: d.channels, Samples: samples}
	if err := info.comments.AddLoop(c); err != nil {
		return nil, err
	}
	return c, nil
}

// openStream reads the headers and measures the extent of a file.
func openStream(data []byte, probing bool) (*ogg.Reader, *decoder, Info, error) {
	packets, err := ogg.NewReader(data, []byte("\x01"+signature))
	if err != nil {
		return nil, nil, Info{}, err
	}
	d, info := &decoder{probing: probing}, Info{}
	err = checkHeaderPacket(packets, d.readIdentification)
	if err == nil {
		err = checkHeaderPacket(packets, func(packet []byte) error {
			h, err := headerBody(packet, 3)
			if err != nil {
				return err
			}
			info.comments, err = vorbiscomment.Read(h)
			return err
		})
	}
	if err == nil {
		err = checkHeaderPacket(packets, d.readSetup)
	}
	if err != nil {
		return nil, nil, Info{}, err
	}
	extent, err := packets.Measure()
	if err != nil {
		return nil, nil, Info{}, err
	}
	half := int64(d.block[1] / 2)
	info.Rate, info.Channels = d.rate, d.channels
	info.Frames = max(0, extent.Packets-1) * half // the first packet adds no frames
	if extent.Granule >= 0 {
		info.Frames = min(info.Frames, extent.Granule)
	}
	// Before the first page with a position there may be frames before position 0. The last block
	// may have frames after the last position.
	info.slack = (extent.Early + 1) * half
	info.setup = d.tableBytes()
	return packets, d, info, nil
}

// tableBytes returns the size of the headers' tables and of the state. The size is doubled for
// temporary memory while the tables are built.
func (d *decoder) tableBytes() int64 {
	const book, line = 4<<10 + 200, 100
	return 2 * int64(len(d.books)*book+d.entries*20+d.values*4+d.block[1]*(d.channels+1)*line)
}

func checkHeaderPacket(packets *ogg.Reader, read func([]byte) error) error {
	packet, err := packets.Next()
	if err == io.EOF {
		return errors.New("the file ends within the Vorbis headers; copy it again")
	}
	if err != nil {
		return err
	}
	if err := read(packet.Data); err != nil {
		return fmt.Errorf("vorbis: %w", err)
	}
	return nil
}

// orders maps the channels of a stream (section 4.3.9) to the channels of a clip.
var orders = [maxChannels + 1][]int{
	3: {0, 2, 1},
	5: {0, 2, 1, 3, 4},
	6: {0, 2, 1, 4, 5, 3},
	7: {0, 2, 1, 5, 6, 4, 3},
	8: {0, 2, 1, 6, 7, 4, 5, 3},
}

func reorderChannels(samples []float32, channels int) {
	order := orders[channels]
	if order == nil {
		return
	}
	var frame [maxChannels]float32
	for ; len(samples) >= channels; samples = samples[channels:] {
		copy(frame[:], samples[:channels])
		for i, to := range order {
			samples[to] = frame[i]
		}
	}
}

var errShortHeader = errors.New("a header is cut off; copy the file again")

// signature is the text that follows the packet type in every header packet.
const signature = "vorbis"

func headerBody(packet []byte, kind byte) ([]byte, error) {
	if len(packet) < 7 || packet[0] != kind || string(packet[1:7]) != signature {
		return nil, fmt.Errorf("the Vorbis header %d is missing; the file is damaged", kind)
	}
	return packet[7:], nil
}

// readIdentification reads the identification header (section 4.2.2).
func (d *decoder) readIdentification(packet []byte) error {
	h, err := headerBody(packet, 1)
	if err != nil {
		return err
	}
	if len(h) < 23 {
		return errShortHeader
	}
	if v := binary.LittleEndian.Uint32(h); v != 0 {
		return fmt.Errorf("the Vorbis version %d is not supported; export the sound again", v)
	}
	d.channels, d.rate = int(h[4]), int(int32(binary.LittleEndian.Uint32(h[5:])))
	short, long := int(h[21]&15), int(h[21]>>4)
	switch {
	case d.channels < 1 || d.channels > maxChannels:
		return fmt.Errorf("the header has %d channels, want 1 to %d", d.channels, maxChannels)
	case d.rate < 1:
		return fmt.Errorf("the sample rate is %d Hz; the file is damaged", d.rate)
	case short < 6 || long > 13 || short > long:
		return fmt.Errorf("the block sizes, 2^%d and 2^%d samples, are invalid; the file is damaged", short, long)
	case h[22]&1 == 0:
		return errShortHeader
	}
	d.block = [2]int{1 << short, 1 << long}
	return nil
}

// readSetup reads the setup header (section 4.2.4).
func (d *decoder) readSetup(packet []byte) error {
	h, err := headerBody(packet, 5)
	if err != nil {
		return err
	}
	r := &bitReader{data: h}
	for range r.bits(8) + 1 {
		c, err := d.readCodebook(r)
		if err != nil {
			return err
		}
		d.books = append(d.books, c)
	}
	for range r.bits(6) + 1 {
		if r.bits(16) != 0 {
			return errors.New("the setup names an unknown time domain transform; the file is damaged")
		}
	}
	for range r.bits(6) + 1 {
		f, err := d.readFloor(r)
		if err != nil {
			return err
		}
		d.floors = append(d.floors, f)
	}
	for range r.bits(6) + 1 {
		x, err := d.readResidue(r)
		if err != nil {
			return err
		}
		d.residues = append(d.residues, x)
	}
	for range r.bits(6) + 1 {
		m, err := d.readMapping(r)
		if err != nil {
			return err
		}
		d.mappings = append(d.mappings, m)
	}
	for range r.bits(6) + 1 {
		m := mode{long: r.readFlag()}
		if r.bits(32) != 0 {
			return errors.New("a mode has an unknown window or transform; the file is damaged")
		}
		if m.mapping = int(r.bits(8)); m.mapping >= len(d.mappings) {
			return errors.New("a mode refers to a missing mapping; the file is damaged")
		}
		d.modes = append(d.modes, m)
	}
	if !r.readFlag() || r.short {
		return errShortHeader
	}
	return nil
}

// A mode selects the block size and the mapping of a packet.
type mode struct {
	long    bool
	mapping int
}

// A mapping describes the encoding of the channels.
type mapping struct {
	couplings []coupling
	submap    []int // index of each channel's submap
	floors    []int // index of each submap's floor
	residues  []int
}

// A coupling is a pair of channels encoded as magnitude and angle.
type coupling struct{ magnitude, angle int }

func (d *decoder) readMapping(r *bitReader) (mapping, error) {
	m := mapping{submap: make([]int, d.channels)}
	bad := errors.New("a mapping is invalid; the file is damaged")
	if r.bits(16) != 0 {
		return m, bad
	}
	submaps := 1
	if r.readFlag() {
		submaps = int(r.bits(4)) + 1
	}
	if r.readFlag() {
		width := ilog(uint32(d.channels - 1))
		for range r.bits(8) + 1 {
			c := coupling{int(r.bits(width)), int(r.bits(width))}
			if c.magnitude == c.angle || c.magnitude >= d.channels || c.angle >= d.channels {
				return m, bad
			}
			m.couplings = append(m.couplings, c)
		}
	}
	if r.bits(2) != 0 {
		return m, bad
	}
	if submaps > 1 {
		for i := range m.submap {
			if m.submap[i] = int(r.bits(4)); m.submap[i] >= submaps {
				return m, bad
			}
		}
	}
	for range submaps {
		r.bits(8) // skip the time configuration, which is not used
		f, x := int(r.bits(8)), int(r.bits(8))
		if f >= len(d.floors) || x >= len(d.residues) {
			return m, bad
		}
		m.floors, m.residues = append(m.floors, f), append(m.residues, x)
	}
	return m, nil
}
