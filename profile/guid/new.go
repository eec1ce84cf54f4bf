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
	now  func() time.Time
	who  uint64        // machine, process and random number
	last atomic.Uint64 // stamp: time and counter
}

// process is the generator of this process. It asks the system when it is first used.
var process = sync.OnceValue(func() *generator {
	return &generator{now: time.Now, who: identity(machine(), os.Getpid(), rand.Uint32())}
})

// New returns an ID that no other call of New has returned or will, on any machine, as far
// as the package's documentation says. It may be called from any goroutine.
func New() ID { return process().next() }

func (g *generator) next() ID {
	now := uint64(max(g.now().UnixMicro(), 0)) << counterBits
	for {
		last := g.last.Load()
		stamp := max(now, last+1)
		if g.last.CompareAndSwap(last, stamp) {
			return assemble(stamp, g.who)
		}
	}
}

func identity(machine []byte, pid int, random uint32) uint64 {
	sum := sha256.Sum256(machine)
	who := uint64(binary.BigEndian.Uint32(sum[:]) >> (32 - machineBits))
	who = who<<processBits | uint64(pid)&(1<<processBits-1)
	return who<<randomBits | uint64(random)&(1<<randomBits-1)
}

// machine returns what tells this machine from others: its name and, where systems keep
// one, the number that was drawn when it was installed. Asking for network addresses
// would take longer than the shortest runs do.
func machine() []byte {
	name, _ := os.Hostname() // without it the number has to do
	number, _ := os.ReadFile("/etc/machine-id")
	return append(append([]byte(name), 0), number[:min(len(number), 64)]...)
}
