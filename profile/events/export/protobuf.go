package export

import (
	"encoding/binary"
	"math"
)

// These append one field of a protocol buffer message
// (protobuf.dev/programming-guides/encoding). A message within a message is
// encoded by itself first, because its length stands before it.

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func appendTag(b []byte, field, wire uint64) []byte {
	return binary.AppendUvarint(b, field<<3|wire)
}

func appendUint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(appendTag(b, field, wireVarint), v)
}

func appendFixed64(b []byte, field, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(appendTag(b, field, wireFixed64), v)
}

func appendDouble(b []byte, field uint64, v float64) []byte {
	return appendFixed64(b, field, math.Float64bits(v))
}

func appendBytes[T string | []byte](b []byte, field uint64, v T) []byte {
	b = binary.AppendUvarint(appendTag(b, field, wireBytes), uint64(len(v)))
	return append(b, v...)
}
