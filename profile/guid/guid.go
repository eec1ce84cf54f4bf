package guid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// An ID is one identifier. IDs compare by time as arrays of bytes do. The zero ID is
// none that New returns.
type ID [16]byte

const (
	counterBits = 12
	machineBits = 24
	processBits = 22
	randomBits  = 18

	textLen  = 26
	alphabet = "0123456789abcdefghijklmnopqrstuv"
)

func assemble(stamp uint64, who uint64) (id ID) {
	binary.BigEndian.PutUint64(id[:8], stamp)
	binary.BigEndian.PutUint64(id[8:], who)
	return id
}

func (id ID) stamp() uint64 { return binary.BigEndian.Uint64(id[:8]) }
func (id ID) who() uint64   { return binary.BigEndian.Uint64(id[8:]) }

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// Time returns when the ID was made, in UTC, by the clock of its machine.
func (id ID) Time() time.Time { return time.UnixMicro(int64(id.stamp() >> counterBits)).UTC() }

// Counter returns how many IDs the process had made before in the same microsecond.
func (id ID) Counter() int { return int(id.stamp() & (1<<counterBits - 1)) }

// Machine returns the sum of the machine's identity, 24 bits.
func (id ID) Machine() uint32 { return uint32(id.who() >> (processBits + randomBits)) }

// Process returns the process ID, the low 22 bits of it.
func (id ID) Process() int { return int(id.who() >> randomBits & (1<<processBits - 1)) }

// Random returns the number that the process drew, 18 bits.
func (id ID) Random() uint32 { return uint32(id.who() & (1<<randomBits - 1)) }

// Describe returns all fields for people.
func (id ID) Describe() string {
	return fmt.Sprintf("%s #%d, machine %06x, process %d, random %05x",
		id.Time().Format("2006-01-02T15:04:05.000000Z"), id.Counter(), id.Machine(), id.Process(), id.Random())
}

// AppendText appends the 26 characters of the ID; the error is always nil.
func (id ID) AppendText(b []byte) ([]byte, error) {
	hi, lo := id.stamp(), id.who()
	var text [textLen]byte
	for i := textLen - 1; i >= 0; i-- {
		text[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return append(b, text[:]...), nil
}

// String returns the 26 characters of the ID.
func (id ID) String() string {
	b, _ := id.AppendText(make([]byte, 0, textLen))
	return string(b)
}

// MarshalText returns the characters of String, for JSON and the like.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText is Parse.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

var errTooLarge = errors.New("the first character of an ID is at most 7")

// Parse returns the ID of a text, in lower or upper case.
func Parse(text string) (ID, error) {
	if len(text) != textLen {
		return ID{}, fmt.Errorf("guid: %.40q has %d characters: an ID has %d", text, len(text), textLen)
	}
	var hi, lo uint64
	for i := range textLen {
		c := text[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'v':
			c -= 'a' - 10
		case 'A' <= c && c <= 'V':
			c -= 'A' - 10
		default:
			return ID{}, fmt.Errorf("guid: %q is no ID: %q is none of its characters, 0 to 9 and a to v", text, c)
		}
		if i == 0 && c > 7 {
			return ID{}, fmt.Errorf("guid: %q is no ID: %w", text, errTooLarge)
		}
		hi, lo = hi<<5|lo>>59, lo<<5|uint64(c)
	}
	return assemble(hi, lo), nil
}
