package vorbis

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

func TestVorbisMemoryIsClose(t *testing.T) {
	for _, f := range files {
		data := read(t, f.name)
		i, err := Probe(data)
		if err != nil {
			t.Fatal(err)
		}
		if i.Rate != f.rate || i.Channels != f.channels || i.Frames != int64(f.frames) {
			t.Errorf("%s: %+v", f.name, i)
		}
		// Total allocations, including garbage, must be close to the estimate.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decode(t, data)
		runtime.ReadMemStats(&after)
		allocated := int64(after.TotalAlloc - before.TotalAlloc)
		if m := i.Memory(); m < allocated/2 || m < int64(4*f.frames*f.channels) || m > 4*allocated {
			t.Errorf("%s: Memory is %d, but %d bytes are allocated", f.name, m, allocated)
		}
	}
	// A last position of 2^60 must not affect the estimate.
	huge := repage(t, read(t, "loop.ogg"), func(_ int, last bool, was int64) int64 {
		if last {
			return 1 << 60
		}
		return was
	})
	if i, err := Probe(huge); err != nil || i.Frames > 100_000 {
		t.Errorf("%d frames, %v", i.Frames, err)
	}
}

// Probe does not build the tables of a codebook, even if a header of a hundred bytes declares
// tables of megabytes.
func TestProbingMakesNoTables(t *testing.T) {
	var acc uint64
	var n uint
	setup := []byte("\x05" + signature)
	put := func(v uint64, width uint) {
		for acc, n = acc|v<<n, n+width; n >= 8; acc, n = acc>>8, n-8 {
			setup = append(setup, byte(acc))
		}
	}
	put(0, 8) // number of codebooks minus 1
	put(0x564342, 24)
	put(8, 16)
	put(1<<17, 24)
	put(1, 1)      // flag: lengths are in ascending order
	put(17-1, 5)   // length of the first words minus 1
	put(1<<17, 18) // number of entries of this length
	put(1, 4)      // lookup type 1: vectors on a lattice
	put(0, 32)
	put(0, 32)
	put(0, 4)
	put(0, 1)
	put(0, 4)
	setup = append(setup, make([]byte, 20)...)
	for probing, most := range map[bool]uint64{true: 1 << 20, false: 1 << 30} {
		d := &decoder{channels: 2, block: [2]int{256, 2048}, probing: probing}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := d.readSetup(setup)
		runtime.ReadMemStats(&after)
		if d.entries != 1<<17 || d.values != 1<<20 || err == nil {
			t.Errorf("%d entries, %d values, %v", d.entries, d.values, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most || allocated < most>>7 {
			t.Errorf("probing %v: allocated %d bytes", probing, allocated)
		}
	}
}

func TestBadHeadersAreRefused(t *testing.T) {
	all := packets(t, "stereo.ogg")
	id := func(at int, b ...byte) []byte {
		p := bytes.Clone(all[0])
		copy(p[at:], b)
		return p
	}
	for _, c := range []struct {
		name   string
		packet []byte
		want   string
	}{
		{"version", id(7, 1), "version 1"},
		{"no channels", id(11, 0), "0 channels"},
		{"255 channels", id(11, 255), "255 channels"},
		{"0 Hz", id(12, 0, 0, 0, 0), "0 Hz"},
		{"2^31 Hz", id(12, 0, 0, 0, 0x80), "Hz"},
		{"blocks the wrong way round", id(28, 0x8b), "2^11 and 2^8"},
		{"blocks of 32", id(28, 0xb5), "2^5"},
		{"no framing bit", id(29, 0), "cut off"},
		{"short", all[0][:29], "cut off"},
		{"another header", all[1], "header 1"},
	} {
		if err := new(decoder).readIdentification(c.packet); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	// Setup headers that are truncated, or declare the largest possible codebook, are errors.
	for n := 0; n < len(all[2])-1; n += 1 + len(all[2])/500 {
		d := new(decoder)
		if err := d.readIdentification(all[0]); err != nil {
			t.Fatal(err)
		}
		if err := d.readSetup(all[2][:n]); err == nil {
			t.Errorf("setup of %d bytes: no error", n)
		}
	}
	large := bytes.Clone(all[2][:40])
	copy(large[11:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0})
	d := &decoder{channels: 2, block: [2]int{256, 2048}}
	if err := d.readSetup(large); err == nil || !strings.Contains(err.Error(), "invalid size") {
		t.Errorf("2^24 entries of 2^16 dimensions: %v", err)
	}
}

// FuzzPackets fuzzes packets directly, without checksums.
func FuzzPackets(f *testing.F) {
	for _, file := range files {
		all := packets(f, file.name)
		f.Add(all[0], all[2], all[4])
	}
	f.Fuzz(func(t *testing.T, id, setup, packet []byte) {
		d := new(decoder)
		if d.readIdentification(id) != nil || d.readSetup(setup) != nil {
			return
		}
		d.startPackets()
		out := d.decodeAudioPacket(packet, nil)
		out = d.decodeAudioPacket(packet, out)
		if len(out) > d.block[1]/2*d.channels {
			t.Errorf("%d samples of one block", len(out))
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, file := range files {
		f.Add(read(f, file.name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(t.Context(), data)
		if err == nil && len(c.Samples)%c.Channels != 0 {
			t.Errorf("%d samples of %d channels", len(c.Samples), c.Channels)
		}
	})
}
