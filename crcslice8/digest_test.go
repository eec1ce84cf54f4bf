package crcslice8

import (
	"bytes"
	"encoding"
	"hash"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type savable interface {
	hash.Hash32
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

func newDigest(m Model) savable { return New(m).Hash().(savable) }

func TestHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		h := newDigest(m)
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 200), 0, 5).Draw(t, "parts")
		for range 2 {
			var whole []byte
			for _, p := range parts {
				if n, err := h.Write(p); n != len(p) || err != nil {
					t.Fatalf("wrote %d of %d bytes: %v", n, len(p), err)
				}
				whole = append(whole, p...)
				want := define(m, whole)
				if got := h.Sum32(); got != want {
					t.Fatalf("Sum32: %08x, want %08x", got, want)
				}
				bytes4 := []byte{'x', byte(want >> 24), byte(want >> 16), byte(want >> 8), byte(want)}
				if got := h.Sum([]byte("x")); !bytes.Equal(got, bytes4) {
					t.Fatalf("Sum: %x, want %x", got, bytes4)
				}
			}
			h.Reset()
		}
		if got, want := h.Sum32(), define(m, nil); got != want {
			t.Fatalf("after Reset: %08x, want %08x", got, want)
		}
		if h.Size() != 4 || h.BlockSize() != 1 {
			t.Fatalf("size %d, block size %d", h.Size(), h.BlockSize())
		}
	})
}

func TestSavedStateContinues(t *testing.T) {
	data := []byte("123456789")
	for _, m := range models32() {
		h := newDigest(m)
		h.Write(data[:4])
		saved, err := h.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if appended, err := h.AppendBinary([]byte("x")); err != nil || string(appended) != "x"+string(saved) {
			t.Errorf("%s: AppendBinary gives %x, %v, not x and %x", m.Name, appended, err, saved)
		}
		other := newDigest(m)
		other.Write([]byte("to be forgotten"))
		if err := other.UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		other.Write(data[4:])
		if got := other.Sum32(); uint64(got) != m.Check {
			t.Errorf("%s: %08x, want %08x", m.Name, got, m.Check)
		}
	}
}

func TestForeignStatesAreRefused(t *testing.T) {
	saved, err := newDigest(mustModel("CRC-32/ISO-HDLC")).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(*Model)) Model {
		m := mustModel("CRC-32/ISO-HDLC")
		change(&m)
		return m
	}
	for _, tt := range []struct {
		name  string
		model Model
		state []byte
		want  string
	}{
		{"nothing", mustModel("CRC-32/ISO-HDLC"), nil, "not a saved state"},
		{"other magic", mustModel("CRC-32/ISO-HDLC"), append([]byte("crc\x01\x02"), saved[5:]...), "not a saved state"},
		{"cut", mustModel("CRC-32/ISO-HDLC"), saved[:len(saved)-1], "21 bytes instead of 22"},
		{"too long", mustModel("CRC-32/ISO-HDLC"), append(saved[:len(saved):len(saved)], 0), "23 bytes instead of 22"},
		{"other polynomial", changed(func(m *Model) { m.Poly ^= 2 }), saved, "saved by model"},
		{"other start", changed(func(m *Model) { m.Init = 0 }), saved, "saved by model"},
		{"other order", changed(func(m *Model) { m.RefIn, m.RefOut = false, false }), saved, "saved by model"},
		{"other end", changed(func(m *Model) { m.XorOut = 0 }), saved, "saved by model"},
	} {
		h := newDigest(tt.model)
		h.Write([]byte("something"))
		before := h.Sum32()
		err := h.UnmarshalBinary(tt.state)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if h.Sum32() != before {
			t.Errorf("%s: the refused state changed the sum", tt.name)
		}
	}
	renamed := newDigest(changed(func(m *Model) { m.Name, m.Check = "CRC-32", 0 }))
	if err := renamed.UnmarshalBinary(saved); err != nil {
		t.Errorf("equal model under another name: %v", err)
	}
}

func TestClone(t *testing.T) {
	h := Castagnoli().Hash()
	h.Write([]byte("12345"))
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("something else"))
	clone.Write([]byte("6789"))
	if got := clone.(hash.Hash32).Sum32(); got != 0xe3069283 {
		t.Errorf("clone: %08x, want e3069283", got)
	}
}

func TestZeroTable(t *testing.T) {
	var crc Table
	for name, f := range map[string]func(){
		"Checksum, short": func() { crc.Checksum([]byte("1")) },
		"Checksum, long":  func() { crc.Checksum(make([]byte, 100_000)) },
		"Slicing8":        func() { crc.Slicing8(0, []byte("1")) },
		"Slicing16":       func() { crc.Slicing16(0, []byte("1")) },
		"Hash":            func() { crc.Hash().Write([]byte("1")) },
		"Combine":         func() { crc.Combine(1, 2, 3) },
		"Combiner":        func() { crc.Combiner(3) },
	} {
		func() {
			defer func() {
				if p := recover(); p != "crcslice8: the Table was not made by New" {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
}
