package guid

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// An ID is one identifier. As arrays of bytes, IDs sort by time. New never returns the zero ID.
type ID [16]byte

const (
	counterBits = 12
	machineBits = 24
	processBits = 22
	randomBits  = 18

	textLen    = 26
	firstDigit = 7 // The first digit has only three bits, so its maximum is 7.
	alphabet   = "0123456789abcdefghijklmnopqrstuv"
)

// assemble combines a stamp with the machine, process and random fields.
func assemble(stamp, origin uint64) (id ID) {
	binary.BigEndian.PutUint64(id[:8], stamp)
	binary.BigEndian.PutUint64(id[8:], origin)
	return id
}

func (id ID) stamp() uint64  { return binary.BigEndian.Uint64(id[:8]) }
func (id ID) origin() uint64 { return binary.BigEndian.Uint64(id[8:]) }

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id == ID{} }

// Fields holds the parts of an ID.
type Fields struct {
	Time    time.Time // creation time in UTC, by the machine's clock
	Counter int       // number of IDs made earlier in the same microsecond
	Machine uint32    // first 24 bits of the hash of the machine's identity
	Process int       // low 22 bits of the process ID
	Random  uint32    // 18-bit random number of the process
}

// Fields decodes the ID.
func (id ID) Fields() Fields {
	stamp, origin := id.stamp(), id.origin()
	return Fields{
		Time:    time.UnixMicro(int64(stamp >> counterBits)).UTC(),
		Counter: int(stamp & (1<<counterBits - 1)),
		Machine: uint32(origin >> (processBits + randomBits)),
		Process: int(origin >> randomBits & (1<<processBits - 1)),
		Random:  uint32(origin & (1<<randomBits - 1)),
	}
}

// Describe formats all fields as readable text.
func (id ID) Describe() string {
	f := id.Fields()
	return fmt.Sprintf("%s #%d, machine %06x, process %d, random %05x",
		f.Time.Format("2006-01-02T15:04:05.000000Z"), f.Counter, f.Machine, f.Process, f.Random)
}

// String returns the 26 characters of the ID.
func (id ID) String() string {
	hi, lo := id.stamp(), id.origin()
	var text [textLen]byte
	for i := textLen - 1; i >= 0; i-- {
		text[i] = alphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(text[:])
}

// MarshalText returns the result of String. The error is always nil.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText sets the ID to the result of Parse.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// Parse returns the ID with this text, which may be in lower or upper case.
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
			return ID{}, fmt.Errorf("guid: %q is not an ID: %q is not one of its characters, 0 to 9 and a to v", text, c)
		}
		if i == 0 && c > firstDigit {
			return ID{}, fmt.Errorf("guid: %q is not an ID: its first character is at most %c", text, alphabet[firstDigit])
		}
		hi, lo = hi<<5|lo>>59, lo<<5|uint64(c)
	}
	return assemble(hi, lo), nil
}

// A generator makes the IDs of one process.
type generator struct {
	origin uint64 // fields for machine, process and random number
	now    func() time.Time
	last   atomic.Uint64 // stamp of the latest ID
}

func newGenerator(now func() time.Time, origin uint64) *generator {
	return &generator{now: now, origin: origin}
}

// process is the generator of this process. It queries the system on first use.
var process = sync.OnceValue(func() *generator {
	return newGenerator(time.Now, identity(machine(), os.Getpid(), rand.Uint32()))
})

// New returns a unique ID. The package's documentation describes the limits of uniqueness. Any
// goroutine may call New.
func New() ID { return process().nextGUID() }

func (g *generator) nextGUID() ID { return assemble(g.nextStamp(), g.origin) }

// nextStamp returns a stamp that is greater than all earlier ones. It consists of the time in
// microseconds, and a counter in the low bits.
func (g *generator) nextStamp() uint64 {
	now := uint64(max(g.now().UnixMicro(), 0)) << counterBits
	for {
		last := g.last.Load()
		stamp := max(now, last+1)
		if g.last.CompareAndSwap(last, stamp) {
			return stamp
		}
	}
}

// identity combines the fields that are equal in all IDs of a process.
func identity(machine []byte, pid int, random uint32) uint64 {
	sum := sha256.Sum256(machine)
	origin := uint64(binary.BigEndian.Uint32(sum[:]) >> (32 - machineBits))
	origin = origin<<processBits | uint64(pid)&(1<<processBits-1)
	return origin<<randomBits | uint64(random)&(1<<randomBits-1)
}

// machine returns the identity of this machine. It consists of the host name and, on systems that
// have one, the machine ID. It does not use network addresses, because querying them would take
// longer than the shortest runs.
func machine() []byte {
	name, _ := os.Hostname() // Without a host name, only the machine ID is used.
	number, _ := os.ReadFile("/etc/machine-id")
	return append(append([]byte(name), 0), number[:min(len(number), 64)]...)
}
