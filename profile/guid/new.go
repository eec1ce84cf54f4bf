package guid

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A generator makes the IDs of one process.
type generator struct {
	who                    uint64 // machine, process and random number
	full, short96, short64 ticker
}

func newGenerator(now func() time.Time, who uint64) *generator {
	short := func() ticker { return ticker{now: now, unit: time.Millisecond, counterBits: shortCounterBits} }
	return &generator{
		who:     who,
		full:    ticker{now: now, unit: time.Microsecond, counterBits: counterBits},
		short96: short(),
		short64: short(),
	}
}

// process is the generator of this process. It asks the system on first use.
var process = sync.OnceValue(func() *generator {
	return newGenerator(time.Now, identity(machine(), os.Getpid(), rand.Uint32()))
})

// New returns a unique ID; the package's documentation describes the limits of uniqueness. It may
// be called from any goroutine.
func New() ID { return process().nextGUID() }

func (g *generator) nextGUID() ID { return assemble(g.full.next(), g.who) }

// A ticker makes stamps: the time in units, and a counter in the low bits.
type ticker struct {
	now         func() time.Time
	unit        time.Duration
	counterBits int
	last        atomic.Uint64
}

// next returns a stamp above all earlier ones.
func (t *ticker) next() uint64 {
	now := uint64(max(t.now().UnixMicro(), 0)) / uint64(t.unit/time.Microsecond) << t.counterBits
	for {
		last := t.last.Load()
		stamp := max(now, last+1)
		if t.last.CompareAndSwap(last, stamp) {
			return stamp
		}
	}
}

func identity(machine []byte, pid int, random uint32) uint64 {
	sum := sha256.Sum256(machine)
	who := uint64(binary.BigEndian.Uint32(sum[:]) >> (32 - machineBits))
	who = who<<processBits | uint64(pid)&(1<<processBits-1)
	return who<<randomBits | uint64(random)&(1<<randomBits-1)
}

// machine returns the identity of this machine: its host name and, on systems that have one, its
// machine ID. Asking for network addresses would take longer than the shortest runs do.
func machine() []byte {
	name, _ := os.Hostname() // without a name, the number must do
	number, _ := os.ReadFile("/etc/machine-id")
	return append(append([]byte(name), 0), number[:min(len(number), 64)]...)
}
