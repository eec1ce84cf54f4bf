package guid

import (
	"encoding/binary"
	"fmt"
	"time"
)

// An ID is one identifier. IDs compare by time as arrays of bytes do. New never returns the zero
// ID.
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

// Counter returns how many IDs the process had already made in the same microsecond.
func (id ID) Counter() int { return int(id.stamp() & (1<<counterBits - 1)) }

// Machine returns 24 bits of the hash of the machine's identity.
func (id ID) Machine() uint32 { return uint32(id.who() >> (processBits + randomBits)) }

// Process returns the low 22 bits of the process ID.
func (id ID) Process() int { return int(id.who() >> randomBits & (1<<processBits - 1)) }

// Random returns the process's random number, 18 bits.
func (id ID) Random() uint32 { return uint32(id.who() & (1<<randomBits - 1)) }

// Describe returns all fields as text for people.
func (id ID) Describe() string {
	return fmt.Sprintf("%s #%d, machine %06x, process %d, random %05x",
		id.Time().Format("2006-01-02T15:04:05.000000Z"), id.Counter(), id.Machine(), id.Process(), id.Random())
}

// AppendText appends the 26 characters of the ID; the error is always nil.
func (id ID) AppendText(b []byte) ([]byte, error) {
	return appendDigits(b, id.stamp(), id.who(), textLen), nil
}

// appendDigits appends the last n digits of the 128-bit number hi, lo.
func appendDigits(b []byte, hi, lo uint64, n int) []byte {
	var text [textLen]byte
	for i := n - 1; i >= 0; i-- {
		text[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return append(b, text[:n]...)
}

// String returns the 26 characters of the ID.
func (id ID) String() string {
	b, _ := id.AppendText(make([]byte, 0, textLen))
	return string(b)
}

// MarshalText returns the characters of String, for JSON and the like.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText is Parse.
func (id *ID) UnmarshalText(text []byte) error { return unmarshal(id, text, Parse) }

// unmarshal sets *id if the text parses.
func unmarshal[T any](id *T, text []byte, parse func(string) (T, error)) error {
	parsed, err := parse(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// Parse returns the ID with this text, in lower or upper case.
func Parse(text string) (ID, error) {
	hi, lo, err := parseDigits(text, textLen, 7)
	if err != nil {
		return ID{}, err
	}
	return assemble(hi, lo), nil
}

// parseDigits reads a number of n digits. The first digit is at most limit, because it holds
// fewer bits than the others.
func parseDigits(text string, n int, limit byte) (hi, lo uint64, err error) {
	if len(text) != n {
		return 0, 0, fmt.Errorf("guid: %.40q has %d characters: an ID has %d", text, len(text), n)
	}
	for i := range n {
		c := text[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'v':
			c -= 'a' - 10
		case 'A' <= c && c <= 'V':
			c -= 'A' - 10
		default:
			return 0, 0, fmt.Errorf("guid: %q is not an ID: %q is not one of its characters, 0 to 9 and a to v", text, c)
		}
		if i == 0 && c > limit {
			return 0, 0, fmt.Errorf("guid: %q is not an ID: its first character is at most %c", text, alphabet[limit])
		}
		hi, lo = hi<<5|lo>>59, lo<<5|uint64(c)
	}
	return hi, lo, nil
}
