package store

import (
	"encoding/binary"
	"errors"
	"time"
)

// Origin says where a result comes from that was not cooked on this machine. Its strings were
// sent by a server and can be any bytes. They are only displayed; no decision depends on them.
type Origin struct {
	Server string    `json:"server"`         // its address
	Run    string    `json:"run,omitempty"`  // ID of the run that cooked it
	Host   string    `json:"host,omitempty"` // the machine that cooked it
	Key    string    `json:"key,omitempty"`  // fingerprint of the key that signed it; "" for none
	At     time.Time `json:"at,omitzero"`    // cook time, in whole ms; zero if unknown
}

// lastMilli is the last millisecond of the year 9999, the latest time that JSON can hold.
const lastMilli = 253402300799999

// IsZero reports whether a result was cooked on this machine.
func (o Origin) IsZero() bool { return o == Origin{} }

// appendOrigin appends an origin to a payload: server, run, host and key, each as its length (4
// bytes) and its bytes, and the time in ms since 1970 (8 bytes), 0 for none.
func appendOrigin(b []byte, o Origin) []byte {
	for _, text := range [...]string{o.Server, o.Run, o.Host, o.Key} {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	at := int64(0)
	if !o.At.IsZero() {
		at = max(0, o.At.UnixMilli())
	}
	return binary.LittleEndian.AppendUint64(b, uint64(at))
}

func (d *decoder) decodeOrigin() (o Origin) {
	for _, text := range [...]*string{&o.Server, &o.Run, &o.Host, &o.Key} {
		*text = string(d.takeBytes(uint64(d.takeUint32())))
	}
	switch at := d.takeInt64(); {
	case at > lastMilli:
		d.err = errors.New("a time after the year 9999")
	case at > 0:
		o.At = time.UnixMilli(at).UTC()
	}
	return o
}
