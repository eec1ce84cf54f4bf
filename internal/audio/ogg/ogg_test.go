package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const magic = "\x01test"

// A writer writes packets to pages that have at most the given number of segments.
type writer struct {
	file     []byte
	serial   uint32
	number   uint32
	segments int

	lacing  []byte
	body    []byte
	resumes bool
}

func (w *writer) packet(data []byte) {
	for {
		n := min(len(data), 255)
		w.lacing = append(w.lacing, byte(n))
		w.body = append(w.body, data[:n]...)
		data = data[n:]
		if len(w.lacing) == w.segments {
			w.flush(n == 255, 0)
		}
		if n < 255 {
			return
		}
	}
}

const (
	resumes = 1 << iota
	first
	last
)

// flush ends the page. Its granule position is the page number.
func (w *writer) flush(goesOn bool, flags byte) {
	if w.resumes {
		flags |= resumes
	}
	if w.number == 0 {
		flags |= first
	}
	granule := int64(w.number)
	if goesOn && !bytes.ContainsFunc(w.lacing, func(r rune) bool { return r != 255 }) {
		granule = NoPosition
	}
	w.file = append(w.file, page(w.serial, w.number, granule, flags, w.lacing, w.body)...)
	w.number++
	w.lacing, w.body, w.resumes = nil, nil, goesOn
}

func page(serial, number uint32, granule int64, flags byte, lacing, body []byte) []byte {
	p := append([]byte("OggS\x00"), flags)
	p = binary.LittleEndian.AppendUint64(p, uint64(granule))
	p = binary.LittleEndian.AppendUint32(p, serial)
	p = binary.LittleEndian.AppendUint32(p, number)
	p = append(p, 0, 0, 0, 0, byte(len(lacing)))
	p = append(append(p, lacing...), body...)
	binary.LittleEndian.PutUint32(p[22:], checksum().Checksum(p))
	return p
}

func readAll(data []byte) ([][]byte, error) {
	r, err := NewReader(data, []byte(magic))
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for {
		p, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, p.Data)
	}
}

func TestPacketsSurviveWritingAndReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{serial: 7, segments: rapid.IntRange(1, 255).Draw(t, "segments")}
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 600), rapid.SampledFrom([]int{0, 254, 255, 256, 510, 70000})), 0, 20).Draw(t, "sizes")
		packets := [][]byte{[]byte(magic)}
		for i, n := range sizes {
			packets = append(packets, bytes.Repeat([]byte{byte(i)}, n))
		}
		for _, p := range packets {
			w.packet(p)
		}
		if len(w.lacing) > 0 || rapid.Bool().Draw(t, "empty page at the end") {
			w.flush(false, last)
		}
		got, err := readAll(w.file)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(packets) {
			t.Fatalf("%d packets, want %d", len(got), len(packets))
		}
		for i := range got {
			if !bytes.Equal(got[i], packets[i]) {
				t.Fatalf("packet %d: %d bytes, want %d", i, len(got[i]), len(packets[i]))
			}
		}
		r, _ := NewReader(w.file, []byte(magic))
		if e, err := r.Measure(); err != nil || e.Packets != int64(len(packets)) {
			t.Fatalf("Measure: %+v, %v, want %d packets", e, err, len(packets))
		}
	})
}

// TestPageHasTheLastPacketsPosition checks that the granule position of a page belongs to the last
// packet that ends on it.
func TestPageHasTheLastPacketsPosition(t *testing.T) {
	w := &writer{segments: 3}
	w.packet([]byte(magic))
	w.packet(make([]byte, 10))
	w.packet(make([]byte, 300)) // packet with one segment on this page and one on the next
	w.packet(make([]byte, 600)) // packet that continues on the page after the next
	w.packet(make([]byte, 1))
	w.flush(false, last)
	r, err := NewReader(w.file, []byte(magic))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(len(p.Data), " ", p.Granule, " ", p.Last))
	}
	want := "5 -1 false, 10 0 false, 300 1 false, 600 -1 false, 1 2 true"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("have %s\nwant %s", s, want)
	}
	if e, err := r.Measure(); err != nil || e != (Extent{Granule: NoPosition}) {
		t.Errorf("after the last packet Measure says %+v, %v", e, err)
	}
	r, _ = NewReader(w.file, []byte(magic))
	if e, err := r.Measure(); err != nil || e != (Extent{Granule: 2, Packets: 5, Early: 2}) {
		t.Errorf("Measure says %+v, %v", e, err)
	}
	for range 2 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if e, err := r.Measure(); err != nil || e != (Extent{Granule: 2, Packets: 3, Early: 0}) {
		t.Errorf("after two packets Measure says %+v, %v", e, err)
	}
}

func one(serial uint32, packets ...string) []byte {
	w := &writer{serial: serial, segments: 255}
	for _, p := range packets {
		w.packet([]byte(p))
	}
	w.flush(false, last)
	return w.file
}

// TestOtherStreamsAreSkipped interleaves the pages of two streams.
func TestOtherStreamsAreSkipped(t *testing.T) {
	other := &writer{serial: 2, segments: 255}
	other.packet([]byte("skeleton"))
	other.flush(false, 0)
	ours := &writer{serial: 1, segments: 255}
	ours.packet([]byte(magic))
	ours.flush(false, 0)
	file := append(append([]byte{}, other.file...), ours.file...)
	other.file, ours.file = nil, nil
	other.packet([]byte("bone"))
	other.flush(false, last)
	ours.packet([]byte("sound"))
	ours.flush(false, last)
	file = append(append(file, other.file...), ours.file...)
	got, err := readAll(file)
	if err != nil || len(got) != 2 || string(got[1]) != "sound" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDamagedPagesAreErrors(t *testing.T) {
	whole := one(1, magic, strings.Repeat("a", 400))
	w := &writer{segments: 2}
	w.packet([]byte(magic))
	w.packet(make([]byte, 3000))
	w.flush(false, last)
	paged := w.file
	second := bytes.Index(paged[4:], []byte("OggS")) + 4
	third := bytes.Index(paged[second+4:], []byte("OggS")) + second + 4
	flip := func(at int) []byte {
		d := bytes.Clone(whole)
		d[at] ^= 1
		return d
	}
	unfinished := &writer{segments: 2}
	unfinished.packet([]byte(magic))
	unfinished.packet(make([]byte, 254+255*3)) // packet that fills several pages
	fresh := append(bytes.Clone(paged[:second]), page(0, 1, 5, 0, []byte{1}, []byte{9})...)

	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "has no stream"},
		{"text", []byte("hello, world"), "there is no Ogg page here"},
		{"another kind", one(1, "other"), "has no stream"},
		{"cut in the header", whole[:20], "cut off"},
		{"cut in the lacing", whole[:28], "cut off"},
		{"cut in the body", whole[:len(whole)-1], "cut off"},
		{"a bit of the body", flip(len(whole) - 1), "checksum of an Ogg page is wrong"},
		{"a bit of the position", flip(6), "checksum of an Ogg page is wrong"},
		{"a bit of the checksum", flip(22), "checksum of an Ogg page is wrong"},
		{"version", flip(4), "version"},
		{"a page is missing", append(bytes.Clone(paged[:second]), paged[third:]...), "Ogg page 2, want page 1"},
		{"the packet does not go on", fresh, "does not continue"},
		{"ends within a packet", unfinished.file[:third], "within a packet"},
		{"a second stream", append(bytes.Clone(whole), one(2, magic)...), "another stream"},
		{"junk between pages", append(append(bytes.Clone(paged[:second]), "junk"...), paged[second:]...), "there is no Ogg page here"},
	} {
		if _, err := readAll(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	// Bytes after the last page are ignored.
	if _, err := readAll(append(bytes.Clone(whole), "ID3 or whatever"...)); err != nil {
		t.Error(err)
	}
	// Some programs do not mark the last page of a stream.
	unmarked := &writer{segments: 255}
	unmarked.packet([]byte(magic))
	unmarked.flush(false, 0)
	if got, err := readAll(unmarked.file); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(one(1, magic, "some", "packets"))
	f.Add(one(1, magic)[:30])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(data, []byte(magic))
		if err != nil {
			return
		}
		if _, err := r.Measure(); err != nil && errors.Is(err, io.EOF) {
			t.Error("Measure returns io.EOF")
		}
		size := 0
		for {
			p, err := r.Next()
			if err != nil {
				break
			}
			size += len(p.Data)
		}
		if size > len(data) {
			t.Errorf("%d bytes of packets in %d bytes", size, len(data))
		}
	})
}
