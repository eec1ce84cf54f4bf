// Package vorbis decodes Ogg Vorbis (section numbers in this package refer to the Vorbis I
// specification, 2020-07-04).
//
// The package exists because the library jfreymuth/vorbis decodes some files of real games wrong by
// up to 0.07 of full scale, and takes gigabytes or never ends for a hostile header of 30 bytes.
// Samples are the same on every processor: this package computes in float64, rounds every product
// before adding it, and takes its sines from package detmath.
//
// Damage is an error, and the memory for headers is limited, far above the needs of encoders.
package vorbis

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
)

const maxChannels = 8

// Info describes a file by its headers and its pages' positions.
type Info struct {
	Rate     int
	Channels int
	// Frames is an upper bound of the length. It is exact except for streams cut out of longer
	// ones.
	Frames int64

	slack    int64 // frames that may be decoded beyond the sound
	setup    int64 // size of the headers and their tables
	comments vorbiscomment.List
}

// Probe reads the headers and page positions of a whole file.
func Probe(data []byte) (Info, error) {
	_, _, info, err := open(data, true)
	return info, err
}

// Memory returns the most bytes that Decode holds, without the file.
func (i Info) Memory() int64 {
	return 4*(i.Frames+i.slack)*int64(i.Channels) + i.setup
}

// Decode decodes a file. Samples are not clipped: they may be above 1. The pages' positions cut the
// start and the end (appendix A.2). Comments may define a loop; see vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	packets, d, info, err := open(data, false)
	if err != nil {
		return nil, err
	}
	d.start()
	samples := make([]float32, 0, (info.Frames+info.slack)*int64(d.channels))
	frames := func() int64 { return int64(len(samples) / d.channels) }
	// position is the position after the decoded frames, once a page has told it. early and late
	// are the frames to cut off at the start and at the end.
	position, told, early, late := int64(0), false, int64(0), int64(0)
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
		if samples = d.decode(packet.Data, samples); frames() > info.Frames+info.slack {
			return nil, errors.New("vorbis: more sound than the positions of its pages declare; the file is damaged")
		}
		position += frames() - before
		if packet.Granule < 0 {
			continue
		}
		// Every page has a position. If it is less than the number of decoded frames, the first
		// page starts the sound later, and the last page ends it earlier.
		late = max(0, position-packet.Granule)
		if !told && !packet.Last {
			early, late = late, 0
		}
		position, told = packet.Granule, true
	}
	early = min(early, frames())
	late = min(late, frames()-early)
	samples = samples[early*int64(d.channels) : (frames()-late)*int64(d.channels)]
	reorder(samples, d.channels)
	c := &pcm.Clip{Rate: d.rate, Channels: d.channels, Samples: samples}
	if err := info.comments.AddLoop(c); err != nil {
		return nil, err
	}
	return c, nil
}

// open reads the headers and the extent of a file.
func open(data []byte, probing bool) (*ogg.Reader, *decoder, Info, error) {
	packets, err := ogg.NewReader(data, []byte("\x01"+signature))
	if err != nil {
		return nil, nil, Info{}, err
	}
	d, info := &decoder{probing: probing}, Info{}
	err = header(packets, d.readIdentification)
	if err == nil {
		err = header(packets, func(packet []byte) error {
			h, err := headerBody(packet, 3)
			if err != nil {
				return err
			}
			info.comments, err = vorbiscomment.Read(h)
			return err
		})
	}
	if err == nil {
		err = header(packets, d.readSetup)
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
	info.Frames = max(0, extent.Packets-1) * half // the first packet gives nothing
	if extent.Granule >= 0 {
		info.Frames = min(info.Frames, extent.Granule)
	}
	// The first page with a position has the sound before position 0, and the last block the sound
	// after the last position.
	info.slack = (extent.Early + 1) * half
	info.setup = d.tables()
	return packets, d, info, nil
}

// tables returns the size of the headers' tables and the state, twice, for the garbage of making
// them.
func (d *decoder) tables() int64 {
	const book, line = 4<<10 + 200, 100
	return 2 * int64(len(d.books)*book+d.entries*20+d.values*4+d.block[1]*(d.channels+1)*line)
}

func header(packets *ogg.Reader, read func([]byte) error) error {
	packet, err := packets.Next()
	if err == io.EOF {
		return errors.New("the file ends within the Vorbis headers")
	}
	if err != nil {
		return err
	}
	if err := read(packet.Data); err != nil {
		return fmt.Errorf("vorbis: %w", err)
	}
	return nil
}

// orders maps the channels of a stream (section 4.3.9) to their places in a clip.
var orders = [maxChannels + 1][]int{
	3: {0, 2, 1},
	5: {0, 2, 1, 3, 4},
	6: {0, 2, 1, 4, 5, 3},
	7: {0, 2, 1, 5, 6, 4, 3},
	8: {0, 2, 1, 6, 7, 4, 5, 3},
}

func reorder(samples []float32, channels int) {
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
