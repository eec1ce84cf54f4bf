package vorbis

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errShortHeader = errors.New("a header that is cut off")

// signature follows the number of a header packet.
const signature = "vorbis"

func headerBody(packet []byte, kind byte) ([]byte, error) {
	if len(packet) < 7 || packet[0] != kind || string(packet[1:7]) != signature {
		return nil, fmt.Errorf("expected vorbis header %d", kind)
	}
	return packet[7:], nil
}

// readIdentification reads the first header (section 4.2.2).
func (d *decoder) readIdentification(packet []byte) error {
	h, err := headerBody(packet, 1)
	if err != nil {
		return err
	}
	if len(h) < 23 {
		return errShortHeader
	}
	if v := binary.LittleEndian.Uint32(h); v != 0 {
		return fmt.Errorf("unknown vorbis version %d", v)
	}
	d.channels, d.rate = int(h[4]), int(int32(binary.LittleEndian.Uint32(h[5:])))
	short, long := int(h[21]&15), int(h[21]>>4)
	switch {
	case d.channels < 1 || d.channels > maxChannels:
		return fmt.Errorf("%d channels, want 1 to %d", d.channels, maxChannels)
	case d.rate < 1:
		return fmt.Errorf("a rate of %d Hz", d.rate)
	case short < 6 || long > 13 || short > long:
		return fmt.Errorf("invalid blocks of 2^%d and 2^%d samples", short, long)
	case h[22]&1 == 0:
		return errShortHeader
	}
	d.block = [2]int{1 << short, 1 << long}
	return nil
}

// readSetup reads the third header (section 4.2.4).
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
			return errors.New("a time domain transform, which does not exist")
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
		m := mode{long: r.bit()}
		if r.bits(32) != 0 {
			return errors.New("an unknown window or transform")
		}
		if m.mapping = int(r.bits(8)); m.mapping >= len(d.mappings) {
			return errors.New("a mode refers to a missing mapping")
		}
		d.modes = append(d.modes, m)
	}
	if !r.bit() || r.short {
		return errShortHeader
	}
	return nil
}

// A mode says which blocks a packet has and how they are encoded.
type mode struct {
	long    bool
	mapping int
}

// A mapping says how the channels are encoded.
type mapping struct {
	couplings []coupling
	submap    []int // of each channel
	floors    []int // of each submap
	residues  []int
}

// A coupling is a pair of channels stored as magnitude and angle.
type coupling struct{ magnitude, angle int }

func (d *decoder) readMapping(r *bitReader) (mapping, error) {
	m := mapping{submap: make([]int, d.channels)}
	bad := errors.New("a mapping that does not fit")
	if r.bits(16) != 0 {
		return m, bad
	}
	submaps := 1
	if r.bit() {
		submaps = int(r.bits(4)) + 1
	}
	if r.bit() {
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
		r.bits(8) // time configuration, unused
		f, x := int(r.bits(8)), int(r.bits(8))
		if f >= len(d.floors) || x >= len(d.residues) {
			return m, bad
		}
		m.floors, m.residues = append(m.floors, f), append(m.residues, x)
	}
	return m, nil
}
