package flac

import (
	"errors"
	"fmt"
	"sync"
)

// A frame is the header of a block of samples (section 9.1 of RFC 9639).
type frame struct {
	size     int // samples per channel
	channels int
	coupled  int // stereo encoding of two channels: 0, leftSide, sideRight or midSide
	width    uint
	rate     int
}

const (
	leftSide = 8 + iota
	sideRight
	midSide
)

// readFrameHeader reads a frame's header.
func (d *decoder) readFrameHeader(r *bitReader, start int) (frame, error) {
	var f frame
	if r.bits(15) != 0x7ffc {
		return f, errors.New("there is no FLAC frame here; the file is damaged")
	}
	r.bits(1) // blocking strategy, which is only needed for seeking
	size, rate := r.bits(4), r.bits(4)
	layout, width := int(r.bits(4)), int(r.bits(3))
	if r.bits(1) != 0 || layout > midSide || width == 3 {
		return f, errReserved
	}
	f.channels = layout + 1
	if layout >= leftSide {
		f.channels, f.coupled = 2, layout
	}
	f.width = [8]uint{d.info.bits, 8, 12, 0, 16, 20, 24, 32}[width]
	// Skip the frame or sample number, which is encoded like UTF-8.
	for first := r.bits(8); first >= 0xc0 && first < 0xff; first = first << 1 & 0xff {
		r.bits(8)
	}
	switch {
	case size == 0:
		return f, errReserved
	case size == 1:
		f.size = 192
	case size <= 5:
		f.size = 144 << size
	case size == 6:
		f.size = int(r.bits(8)) + 1
	case size == 7:
		f.size = int(r.bits(16)) + 1
	default:
		f.size = 1 << size
	}
	hertz := [12]int{d.info.Rate, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}
	switch rate {
	case 12:
		f.rate = 1000 * int(r.bits(8))
	case 13:
		f.rate = int(r.bits(16))
	case 14:
		f.rate = 10 * int(r.bits(16))
	case 15:
		return f, errReserved
	default:
		f.rate = hertz[rate]
	}
	end := r.alignToByte()
	if sum := r.bits(8); r.short || uint64(checksum8(r.data[start:end])) != sum {
		return f, errors.New("the checksum of a FLAC frame header is wrong; the file is damaged")
	}
	if f.channels != d.info.Channels || f.width != d.info.bits || f.rate != d.info.Rate {
		return f, fmt.Errorf("a frame has %d channels of %d bits at %d Hz, the frames before it have %d of %d bits at %d Hz; split the file",
			f.channels, f.width, f.rate, d.info.Channels, d.info.bits, d.info.Rate)
	}
	return f, nil
}

// readFrameSamples reads a frame into the decoder's channels. It returns the number of samples per
// channel.
func (d *decoder) readFrameSamples(r *bitReader) (int, error) {
	start := r.alignToByte()
	f, err := d.readFrameHeader(r, start)
	if err != nil {
		return 0, err
	}
	for ch := range f.channels {
		if len(d.channels[ch]) < f.size {
			d.channels[ch] = make([]int64, f.size)
		}
		width := f.width
		if f.coupled == sideRight && ch == 0 || (f.coupled == leftSide || f.coupled == midSide) && ch == 1 {
			width++ // the difference of two channels needs one more bit
		}
		if err := readSubframe(r, d.channels[ch][:f.size], width); err != nil {
			return 0, err
		}
	}
	end := r.alignToByte()
	if sum := r.bits(16); r.short {
		return 0, errors.New("the file ends within a frame; copy it again")
	} else if uint64(checksum16(r.data[start:end])) != sum {
		return 0, errors.New("the checksum of a frame is wrong; the file is damaged")
	}
	if f.coupled != 0 {
		joinStereo(f.coupled, d.channels[0][:f.size], d.channels[1][:f.size])
	}
	return f.size, nil
}

// joinStereo computes left and right from two channels that are encoded together.
func joinStereo(how int, a, b []int64) {
	for i := range a {
		switch how {
		case leftSide:
			b[i] = a[i] - b[i]
		case sideRight:
			a[i] += b[i]
		case midSide:
			sum := a[i]<<1 | b[i]&1
			a[i], b[i] = (sum+b[i])>>1, (sum-b[i])>>1
		}
	}
}

func checksum8(data []byte) byte {
	table := tables().crc8
	crc := byte(0)
	for _, b := range data {
		crc = table[crc^b]
	}
	return crc
}

func checksum16(data []byte) uint16 {
	table := &tables().crc16
	crc := uint16(0)
	for ; len(data) >= 2; data = data[2:] {
		crc ^= uint16(data[0])<<8 | uint16(data[1])
		crc = table[1][crc>>8] ^ table[0][crc&0xff]
	}
	for _, b := range data {
		crc = crc<<8 ^ table[0][byte(crc>>8)^b]
	}
	return crc
}

type crcTables struct {
	crc8  [256]byte
	crc16 [2][256]uint16 // CRC of one byte, and CRC of one byte followed by a zero byte
}

// tables returns the CRC tables of x^8+x^2+x+1 and x^16+x^15+x^2+1.
var tables = sync.OnceValue(func() *crcTables {
	t := new(crcTables)
	for i := range 256 {
		a, b := byte(i), uint16(i)<<8
		for range 8 {
			a = a<<1 ^ a>>7*0x07
			b = b<<1 ^ b>>15*0x8005
		}
		t.crc8[i], t.crc16[0][i] = a, b
	}
	for i := range 256 {
		b := t.crc16[0][i]
		t.crc16[1][i] = b<<8 ^ t.crc16[0][b>>8]
	}
	return t
})
