package guid

import (
	"encoding/binary"
	"fmt"
	"time"
)

// An ID96 is a short identifier of 12 bytes. IDs compare by time as arrays of bytes do. New96
// never returns the zero ID96.
type ID96 [12]byte

// An ID64 is the shortest identifier, a number of 64 bits. IDs compare by time. New64 never
// returns the zero ID64.
type ID64 uint64

// The fields of the short forms, from the lowest bit.
const (
	shortCounterBits = 10

	randomBits96  = 4
	processBits96 = 22
	machineBits96 = 18
	whoBits96     = randomBits96 + processBits96 + machineBits96

	originBits64 = 12
)

// New96 returns a unique ID96; the package's documentation describes the limits of uniqueness. It
// may be called from any goroutine.
func New96() ID96 {
	p := process()
	return assemble96(p.short96.next(), p.who)
}

// New64 returns an ID64 that is unique within the limits in the package's documentation: a
// process may make any number, but few processes may make them at once. It may be called from any
// goroutine.
func New64() ID64 {
	p := process()
	return assemble64(p.short64.next(), p.who)
}

// assemble96 combines a stamp with the high bits of the machine and the low bits of the random
// number.
func assemble96(stamp, who uint64) (id ID96) {
	full := assemble(0, who)
	short := uint64(full.Machine() >> (machineBits - machineBits96))
	short = short<<processBits96 | uint64(full.Process())
	short = short<<randomBits96 | uint64(full.Random()&(1<<randomBits96-1))
	binary.BigEndian.PutUint64(id[:8], stamp<<(whoBits96-32)|short>>32)
	binary.BigEndian.PutUint32(id[8:], uint32(short))
	return id
}

// assemble64 folds machine, process and random number of an ID into the origin.
func assemble64(stamp, who uint64) ID64 {
	return ID64(stamp<<originBits64 | who*0x9e3779b97f4a7c15>>(64-originBits64))
}

// stamp returns the time and the counter.
func (id ID96) stamp() uint64 { return binary.BigEndian.Uint64(id[:8]) >> (whoBits96 - 32) }

// who returns machine, process and random number.
func (id ID96) who() uint64 { return binary.BigEndian.Uint64(id[4:]) & (1<<whoBits96 - 1) }

func (id ID64) stamp() uint64 { return uint64(id) >> originBits64 }

func shortTime(stamp uint64) time.Time {
	return time.UnixMilli(int64(stamp >> shortCounterBits)).UTC()
}

func shortCounter(stamp uint64) int { return int(stamp & (1<<shortCounterBits - 1)) }

// Time returns when the ID was made, in UTC, by the clock of its machine.
func (id ID96) Time() time.Time { return shortTime(id.stamp()) }

// Time returns when the ID was made, in UTC, by the clock of its machine.
func (id ID64) Time() time.Time { return shortTime(id.stamp()) }

// Counter returns how many ID96 the process had already made in the same millisecond.
func (id ID96) Counter() int { return shortCounter(id.stamp()) }

// Counter returns how many ID64 the process had already made in the same millisecond.
func (id ID64) Counter() int { return shortCounter(id.stamp()) }

// Machine returns the first 18 bits of [ID.Machine].
func (id ID96) Machine() uint32 { return uint32(id.who() >> (processBits96 + randomBits96)) }

// Process returns the low 22 bits of the process ID.
func (id ID96) Process() int { return int(id.who() >> randomBits96 & (1<<processBits96 - 1)) }

// Random returns the low 4 bits of the process's random number.
func (id ID96) Random() uint32 { return uint32(id.who() & (1<<randomBits96 - 1)) }

// Origin returns 12 bits that are equal for all ID64 of a process. Two processes have the same
// origin with a probability of 1 in 4096.
func (id ID64) Origin() int { return int(id & (1<<originBits64 - 1)) }

const shortLayout = "2006-01-02T15:04:05.000Z"

// Describe returns all fields as text for people.
func (id ID96) Describe() string {
	return fmt.Sprintf("%s #%d, machine %05x, process %d, random %x",
		id.Time().Format(shortLayout), id.Counter(), id.Machine(), id.Process(), id.Random())
}

// Describe returns all fields as text for people.
func (id ID64) Describe() string {
	return fmt.Sprintf("%s #%d, origin %03x", id.Time().Format(shortLayout), id.Counter(), id.Origin())
}

// Lengths of the short forms in the digits of an ID.
const (
	textLen96 = 20
	textLen64 = 13
)

// AppendText appends the 20 characters of the ID; the error is always nil.
func (id ID96) AppendText(b []byte) ([]byte, error) {
	return appendDigits(b, uint64(binary.BigEndian.Uint32(id[:])), binary.BigEndian.Uint64(id[4:]), textLen96), nil
}

// AppendText appends the 13 characters of the ID; the error is always nil.
func (id ID64) AppendText(b []byte) ([]byte, error) {
	return appendDigits(b, 0, uint64(id), textLen64), nil
}

// String returns the 20 characters of the ID.
func (id ID96) String() string {
	b, _ := id.AppendText(make([]byte, 0, textLen96))
	return string(b)
}

// String returns the 13 characters of the ID.
func (id ID64) String() string {
	b, _ := id.AppendText(make([]byte, 0, textLen64))
	return string(b)
}

// MarshalText returns the characters of String, for JSON and the like.
func (id ID96) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// MarshalText returns the characters of String, for JSON and the like.
func (id ID64) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText is Parse96.
func (id *ID96) UnmarshalText(text []byte) error { return unmarshal(id, text, Parse96) }

// UnmarshalText is Parse64.
func (id *ID64) UnmarshalText(text []byte) error { return unmarshal(id, text, Parse64) }

// Parse96 returns the ID with this text, in lower or upper case.
func Parse96(text string) (id ID96, err error) {
	hi, lo, err := parseDigits(text, textLen96, 1)
	if err != nil {
		return ID96{}, err
	}
	binary.BigEndian.PutUint32(id[:], uint32(hi))
	binary.BigEndian.PutUint64(id[4:], lo)
	return id, nil
}

// Parse64 returns the ID with this text, in lower or upper case.
func Parse64(text string) (ID64, error) {
	_, lo, err := parseDigits(text, textLen64, 15)
	return ID64(lo), err
}
