// Package mp3 decodes MPEG 1, 2 and 2.5 Layer III (ISO/IEC 11172-3 and 13818-3; section numbers in
// this package refer to the former).
//
// All frames are checked before anything is decoded, so a file that is not MP3, or not a single
// stream, is an error. The encoder's delay and padding are removed, so that loops have no gap.
// Samples are not clipped: they may exceed 1.
//
// The package exists because the library hajimehoshi/go-mp3 (archived in 2023) decodes joint stereo
// of MPEG 2 incorrectly, keeps delay and padding, and returns 16 bits. Samples are the same on
// every processor: this package computes in float64, rounds every product before adding it, and
// uses the sines and powers of package detmath.
package mp3

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
)

// Info describes an MP3 file, based on its frames.
type Info struct {
	Rate     int
	Channels int
	Frames   int64 // number of frames, excluding known delay and padding
}

// decoderDelay is the delay of every decoder: 528 samples of the filters and one more. It adds to
// the encoder's delay that the file declares.
const decoderDelay = 529

// Is reports whether a file that starts with head is likely to be MPEG audio.
func Is(head []byte) bool {
	_, _, ok := firstFrame(head)
	return ok
}

// Probe checks all frames of a file and returns its properties.
func Probe(data []byte) (Info, error) {
	l, err := findFrames(data)
	if err != nil {
		return Info{}, err
	}
	first, last := l.soundBounds()
	return Info{Rate: l.first.sampleRate(), Channels: l.first.channelCount(), Frames: last - first}, nil
}

// Memory returns an upper bound on the bytes that Decode holds, excluding the file.
func (i Info) Memory() int64 {
	const state = 1 << 20 // memory for tables and for state between frames
	return 4*i.Frames*int64(i.Channels) + state
}

// soundBounds returns the range of decoded samples without delay and padding.
func (l *layout) soundBounds() (first, last int64) {
	last = int64(l.frames) * int64(l.first.samplesPerFrame())
	if !l.trim {
		return 0, last
	}
	first = min(last, int64(l.delay)+decoderDelay)
	return first, max(first, last-max(0, int64(l.padding)-decoderDelay))
}

// Decode decodes a file. Delay and padding are removed if a LAME header declares them. Frames that
// need data of missing frames, as at the start of an excerpt from a longer file, are silent.
// User-defined texts of ID3v2 tags may define a loop; see vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	l, err := findFrames(data)
	if err != nil {
		return nil, err
	}
	first, last := l.soundBounds()
	channels := l.first.channelCount()
	c := &pcm.Clip{Rate: l.first.sampleRate(), Channels: channels}
	c.Samples = make([]float32, 0, (last-first)*int64(channels))
	d := newDecoder(l.first)
	position := int64(0)
	for at := l.start; at < l.end; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, _ := headerAt(data, at)
		n := d.decodeFrame(h, data[at:at+h.frameBytes()])
		for i := range n {
			if p := position + int64(i); p < first || p >= last {
				continue
			}
			for ch := range channels {
				c.Samples = append(c.Samples, float32(d.pcm[ch][i]))
			}
		}
		position += int64(n)
		at += h.frameBytes()
	}
	if err := userTexts(data).AddLoop(c); err != nil {
		return nil, fmt.Errorf("MP3: %w", err)
	}
	return c, nil
}

// A decoder holds the state between frames.
type decoder struct {
	bands     *layouts
	side      sideInfo
	reservoir []byte // main data of previous frames, which later frames may use
	filters   [2]hybrid
	pcm       [2][1152]float64 // samples of the current frame
}

// kept is the number of bytes of earlier main data that a frame may refer to.
const kept = 511

func newDecoder(first header) *decoder {
	return &decoder{bands: newBandLayouts(first.sampleRate())}
}

// decodeFrame decodes a frame and returns the number of samples per channel.
func (d *decoder) decodeFrame(h header, frame []byte) int {
	side := 4
	if h>>16&1 == 0 { // skip the CRC, which few encoders write
		side += 2
	}
	main := side + h.sideInfo()
	if main > len(frame) {
		main = len(frame)
	}
	d.side.readSideInfo(&bitReader{data: frame[min(side, main):main]}, h, d.bands)

	had := len(d.reservoir)
	d.reservoir = append(d.reservoir, frame[main:]...)
	granules := h.samplesPerFrame() / 576
	if d.side.begin > had {
		d.silence(granules)
	} else {
		r := &bitReader{data: d.reservoir, at: 8 * (had - d.side.begin)}
		for gr := range granules {
			d.granule(h, r, gr)
		}
	}
	if n := len(d.reservoir) - kept; n > 0 {
		d.reservoir = append(d.reservoir[:0], d.reservoir[n:]...)
	}
	return h.samplesPerFrame()
}

// granule decodes one granule: 576 samples per channel.
func (d *decoder) granule(h header, r *bitReader, gr int) {
	g := &d.side.granules[gr]
	for ch := range h.channelCount() {
		end := r.at + g[ch].length
		d.side.readFactors(r, h, gr, ch)
		g[ch].readSpectrum(r, h.sampleRate(), end)
		r.at = end
	}
	if h.channelCount() == 2 {
		separateStereo(h, &g[0], &g[1])
	}
	for ch := range h.channelCount() {
		if g[ch].block == shortBlock {
			g[ch].sortShortLines()
		}
		g[ch].reduceAliases()
		d.filters[ch].transformGranule(&g[ch], d.pcm[ch][576*gr:][:576])
	}
}

// silence outputs silent granules in place of granules that cannot be decoded. The first one still
// contains the tail of the previous granule.
func (d *decoder) silence(granules int) {
	var none granule
	for gr := range granules {
		for ch := range d.filters {
			d.filters[ch].transformGranule(&none, d.pcm[ch][576*gr:][:576])
		}
	}
}

// userTexts returns the user-defined texts (TXXX) of the ID3v2 tags at the start of a file, such as
// LOOPSTART, by name in upper case. It omits compressed and encrypted texts.
func userTexts(data []byte) vorbiscomment.List {
	texts := vorbiscomment.List{}
	end := skipTags(data)
	for at := 0; at < end; {
		size := synchsafe(data[at+6 : at+10])
		body := data[at+10 : at+10+size]
		if version := data[at+3]; version >= 2 && version <= 4 && data[at+5]&0x40 == 0 { // the tag has no extended header
			readTagFrames(texts, body, version)
		}
		at += 10 + size
	}
	return texts
}

// readTagFrames reads the frames of a tag.
func readTagFrames(texts vorbiscomment.List, body []byte, version byte) {
	id, head := "TXXX", 10
	if version == 2 {
		id, head = "TXX", 6
	}
	for len(body) > head && body[0] != 0 {
		size := 0
		switch version {
		case 2:
			size = int(body[3])<<16 | int(body[4])<<8 | int(body[5])
		case 3:
			size = int(binary.BigEndian.Uint32(body[4:]))
		case 4:
			size = synchsafe(body[4:8])
		}
		if size < 1 || size > len(body)-head {
			return
		}
		plain := version == 2 || body[9] == 0
		if frame := body[head : head+size]; plain && string(body[:len(id)]) == id {
			name, value, _ := strings.Cut(decodeText(frame[0], frame[1:]), "\x00")
			name, value = strings.ToUpper(name), strings.TrimRight(value, "\x00")
			if _, ok := texts[name]; !ok {
				texts[name] = value
			}
		}
		body = body[head+size:]
	}
}

// decodeText decodes the text of a frame. Names and values of loops are ASCII, so other UTF-16
// characters become question marks, and Latin-1 bytes are kept.
func decodeText(encoding byte, p []byte) string {
	if encoding != 1 && encoding != 2 {
		return string(p)
	}
	order := binary.ByteOrder(binary.BigEndian)
	var text strings.Builder
	for ; len(p) >= 2; p = p[2:] {
		switch c := order.Uint16(p); {
		case c == 0xfeff: // the byte order mark shows the right order
		case c == 0xfffe:
			order = binary.LittleEndian
		case c < 0x80:
			text.WriteByte(byte(c))
		default:
			text.WriteByte('?')
		}
	}
	return text.String()
}

// synchsafe decodes an integer of four bytes with seven bits each.
func synchsafe(p []byte) int {
	return int(p[0]&0x7f)<<21 | int(p[1]&0x7f)<<14 | int(p[2]&0x7f)<<7 | int(p[3]&0x7f)
}
