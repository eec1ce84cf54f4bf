package vorbis

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/internal/audio/ogg"
)

// repage rewrites a file with one packet per page. The function position returns the position of
// each page.
func repage(t *testing.T, data []byte, position func(packet int, last bool, was int64) int64) []byte {
	t.Helper()
	r, err := ogg.NewReader(data, []byte("\x01"+signature))
	if err != nil {
		t.Fatal(err)
	}
	var packets []ogg.Packet
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, p)
	}
	var out []byte
	crc := crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Width: 32, Poly: 0x04c11db7})
	for i, p := range packets {
		last := i == len(packets)-1
		flags := byte(0)
		if i == 0 {
			flags = 2
		}
		if last {
			flags |= 4
		}
		granule := position(i, last, p.Granule)
		page := append([]byte("OggS\x00"), flags)
		for k := range 8 {
			page = append(page, byte(granule>>(8*k)))
		}
		page = append(page, 1, 0, 0, 0, byte(i), byte(i>>8), 0, 0, 0, 0, 0, 0, byte(len(p.Data)/255+1))
		page = append(page, bytes.Repeat([]byte{255}, len(p.Data)/255)...)
		page = append(append(page, byte(len(p.Data)%255)), p.Data...)
		sum := crc.Checksum(page)
		for k := range 4 {
			page[22+k] = byte(sum >> (8 * k))
		}
		out = append(out, page...)
	}
	return out
}

// TestPositionsCutStartAndEnd checks that page positions determine the start and the end of the
// sound (appendix A.2).
func TestPositionsCutStartAndEnd(t *testing.T) {
	data := read(t, "loop.ogg")
	whole := decode(t, data).Samples
	only := func(first int, start, end int64) []byte {
		return repage(t, data, func(packet int, last bool, _ int64) int64 {
			switch {
			case last:
				return end
			case packet == first:
				return start
			case packet < 3:
				return 0
			}
			return ogg.NoPosition
		})
	}
	// Packet 3 is the first audio packet and adds no samples. Packet 4 completes the first block.
	// The test needs the number of frames in this block.
	_, d, _, err := openStream(data, false)
	if err != nil {
		t.Fatal(err)
	}
	d.startPackets()
	all := packets(t, "loop.ogg")
	n := int64(len(d.decodeAudioPacket(all[4], d.decodeAudioPacket(all[3], nil))))
	for _, c := range []struct {
		name       string
		start, end int64
		want       []float32
	}{
		{"from 0", n, 7000, whole},
		{"cut at the end", n, 6500, whole[:6500]},
		{"starts before 0", n - 50, 6500, whole[50:6550]},
		{"from a longer stream", n + 1000, 7500, whole[:6500]},
	} {
		got := decode(t, only(4, c.start, c.end)).Samples
		if len(got) != len(c.want) {
			t.Errorf("%s: %d frames, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: frame %d differs", c.name, i)
				break
			}
		}
	}
	// A wrong position does not shorten the sound if a later page has the right position. Adobe
	// Audition writes such files, which start at 1.
	odd := repage(t, data, func(packet int, last bool, was int64) int64 {
		switch {
		case last:
			return n + 6000
		case packet == 3:
			return 1
		case packet == 4:
			return n
		case packet < 3:
			return 0
		}
		return ogg.NoPosition
	})
	if got := decode(t, odd).Samples; int64(len(got)) != n+6000 || !slices.Equal(got, whole[:n+6000]) {
		t.Errorf("from 1: %d frames, want %d", len(got), n+6000)
	}
	// The first positions may be negative, before the start of the sound.
	var total []float32
	_, d, _, err = openStream(data, false)
	if err != nil {
		t.Fatal(err)
	}
	d.startPackets()
	early := repage(t, data, func(packet int, last bool, was int64) int64 {
		switch {
		case last:
			return 3000
		case packet < 3:
			return 0
		}
		total = d.decodeAudioPacket(all[packet], total)
		return int64(len(total)) - 4000
	})
	if got := decode(t, early).Samples; !slices.Equal(got, whole[4000:7000]) {
		t.Errorf("from -4000: %d frames, want 3000", len(got))
	}
	// A file with much more sound than its positions declare is an error.
	if _, err := Decode(t.Context(), only(4, n, 10)); err == nil || !strings.Contains(err.Error(), "more sound") {
		t.Errorf("7000 frames instead of 10: %v", err)
	}
}
