package peer

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestFrame(t *testing.T) {
	for _, n := range []int{0, 1, 5, 4096, MaxPayload} {
		want := bytes.Repeat([]byte{0xa5}, n)
		var wire bytes.Buffer
		if err := sendFrame(&wire, want); err != nil {
			t.Fatal(err)
		}
		if wire.Len() != headerLen+n {
			t.Errorf("%d bytes make a frame of %d", n, wire.Len())
		}
		got, err := receiveFrame(&wire)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes come back as %d: %v", n, len(got), err)
		}
	}
	var wire bytes.Buffer
	if err := sendFrame(&wire, make([]byte, MaxPayload+1)); err == nil || wire.Len() > 0 {
		t.Errorf("too long: %v, %d bytes written", err, wire.Len())
	}
}

func TestBadFrames(t *testing.T) {
	for _, test := range []struct {
		name, wire string
		want       error
	}{
		{"nothing", "", io.EOF},
		{"torn header", "\x02\x05\x00", io.ErrUnexpectedEOF},
		{"header only", "\x02\x05\x00\x00\x00", io.ErrUnexpectedEOF},
		{"torn payload", "\x02\x05\x00\x00\x00abcd", io.ErrUnexpectedEOF},
		{"other version", "\x03\x00\x00\x00\x00", errVersion},
		{"other version, torn", "\x03", errVersion},
		{"text", "GET / HTTP/1.1\r\n\r\n", errVersion},
		{"too long", "\x02\x01\x00\x10\x00", nil},
		{"far too long", "\x02\xfe\xff\xff\xff", nil},
		{"beat", "\x02\xff\xff\xff\xff", errBeat},
	} {
		got, err := receiveFrame(bytes.NewReader([]byte(test.wire)))
		if err == nil || test.want != nil && !errors.Is(err, test.want) || got != nil {
			t.Errorf("%s: %q, %v; want %v", test.name, got, err, test.want)
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x02\x03\x00\x00\x00abc"))
	f.Add([]byte("\x02\x03\x00\x00\x00ab"))
	f.Add([]byte("\x02\xff\xff\x0f\x00"))
	f.Add([]byte("\x03"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		payload, err := receiveFrame(r)
		if err != nil {
			return
		}
		// If a frame can be read, writing its payload gives an equal frame.
		var again bytes.Buffer
		if err := sendFrame(&again, payload); err != nil {
			t.Fatal(err)
		}
		if used := wire[:len(wire)-r.Len()]; !bytes.Equal(again.Bytes(), used) {
			t.Errorf("%x is written as %x", used, again.Bytes())
		}
	})
}
