package peer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// socketName is the name of the socket in its directory.
const socketName = "socket"

// maxAddress is the maximum length of a socket's address: 107 on Linux, plus a zero.
const maxAddress = len(syscall.RawSockaddrUnix{}.Path) - 1

// socketAddress returns the path of the socket in a directory, short enough for a socket address.
// It is valid until the call of release.
func socketAddress(dir string) (name string, release func(), err error) {
	dir, err = filepath.Abs(dir) // a leading @ would mean the abstract namespace of Linux
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join(dir, socketName)
	if len(name) <= maxAddress {
		return name, func() {}, nil
	}
	return shortAddress(dir, name)
}

// longAddress is the error for a long path that cannot be shortened.
func longAddress(name string) error {
	return fmt.Errorf("the path of the socket %s has %d bytes, but the limit is %d; choose an output directory with a shorter path",
		name, len(name), maxAddress)
}

// checkUser returns an error unless the peer belongs to this user.
func checkUser(peer, our int) error {
	if peer != our {
		return fmt.Errorf("%w: the other process runs as user %d, this one as user %d", os.ErrPermission, peer, our)
	}
	return nil
}

// MaxPayload is the maximum size of a request or an answer, in bytes.
const MaxPayload = 1 << 20

// A frame has one byte with the version of the protocol, four bytes in little-endian order with the
// length of the payload, and the payload. A beat is a frame without payload that has beatLen as its
// length. It tells the client that the answer takes more time.
const (
	version   = 2
	headerLen = 5
	beatLen   = 1<<32 - 1
)

// errBeat reports that a received frame is a beat.
var errBeat = errors.New("the other process needs more time to answer")

// errVersion reports a frame of another protocol version, whose format is unknown.
var errVersion = errors.New("the other process uses another version of the protocol; use the same version of cook")

// sendFrame writes a frame with a single call of Write.
func sendFrame(w io.Writer, payload []byte) error {
	if len(payload) > MaxPayload {
		return fmt.Errorf("the message has %d bytes; the limit is %d", len(payload), MaxPayload)
	}
	b := make([]byte, 0, headerLen+len(payload))
	b = append(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	_, err := w.Write(append(b, payload...))
	return err
}

// writeBeat writes a beat.
func writeBeat(w io.Writer) error {
	_, err := w.Write(binary.LittleEndian.AppendUint32([]byte{version}, beatLen))
	return err
}

// receiveFrame returns the payload of a frame. The error is io.EOF at the end of the stream,
// io.ErrUnexpectedEOF for an incomplete frame, and errBeat for a beat. It allocates memory only as
// bytes arrive, and does not trust the length in the header.
func receiveFrame(r io.Reader) ([]byte, error) {
	var header [headerLen]byte
	if n, err := io.ReadFull(r, header[:]); err != nil {
		if n > 0 && header[0] != version {
			return nil, errVersion
		}
		return nil, err
	}
	if header[0] != version {
		return nil, fmt.Errorf("%w (%d, not %d)", errVersion, header[0], version)
	}
	length := binary.LittleEndian.Uint32(header[1:])
	if length == beatLen {
		return nil, errBeat
	}
	if length > MaxPayload {
		return nil, fmt.Errorf("the message claims %d bytes; the limit is %d", length, MaxPayload)
	}
	var payload bytes.Buffer
	n, err := io.Copy(&payload, io.LimitReader(r, int64(length)))
	if err == nil && n < int64(length) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	return payload.Bytes(), nil
}
