// Package vorbis decodes Ogg Vorbis (Vorbis I specification, 2020-07-04; section
// numbers in this package are its).
//
// It is written here because the library for it (jfreymuth/vorbis) decodes some
// files of real games wrong by up to 0.07 of full scale, and takes gigabytes or never ends for a hostile
// header of 30 bytes. Samples are the same on every
// processor: this package works in float64, rounds every product that is added to
// something, and takes its sines from package detmath.
//
// Damage is an error, and headers get no more memory than a limit far above
// what encoders write.
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

// Info is what the headers and the pages' positions say.
type Info struct {
	Rate     int
	Channels int
	// Frames is the most that there can be. It is right but for streams that
	// were cut out of longer ones.
	Frames int64

	slack    int64 // frames that may be decoded beyond the sound
	setup    int64 // bytes that the headers and the tables made of them take
	comments vorbiscomment.List
}

// Probe reads the headers and page positions of a whole file.
func Probe(data []byte) (Info, error) {
	_, _, info, err := open(data, true)
	return info, err
}

// Memory returns the most bytes that Decode holds besides the file.
func (i Info) Memory() int64 {
	return 4*(i.Frames+i.slack)*int64(i.Channels) + i.setup
}

// Decode decodes a file. Samples are not clipped: they may be above 1. The start
// and the end are cut where the pages' positions say (appendix A.2). Comments may
// make a loop; see vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	packets, d, info, err := open(data, false)
	if err != nil {
		return nil, err
	}
	d.start()
	samples := make([]float32, 0, (info.Frames+info.slack)*int64(d.channels))
	frames := func() int64 { return int64(len(samples) / d.channels) }
	// The position after what is decoded, once a page has told it, and how many
	// frames at the start and at the end are not to be heard.
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
			return nil, errors.New("vorbis: more sound than the positions of its pages say; the file is damaged")
		}
		position += frames() - before
		if packet.Granule < 0 {
			continue
		}
		// Every page tells the position anew. If it is less than what was decoded,
		// the first one starts the sound later, the last one ends it earlier.
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
	info.Frames = max(0, extent.Packets-1) * half // the first gives nothing
	if extent.Granule >= 0 {
		info.Frames = min(info.Frames, extent.Granule)
	}
	// What is before position 0 is on the first page with a position, what is
	// behind the last one in the last block.
	info.slack = (extent.Early + 1) * half
	info.setup = d.tables()
	return packets, d, info, nil
}

// tables returns the bytes that the headers' tables and the state take, and as
// much again for what is thrown away in making them.
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

// orders are the places that the channels of a stream (section 4.3.9) have in a
// clip.
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
