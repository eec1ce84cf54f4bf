// Package hashtest is a test suite for every hash function in this module:
//
//	func TestContract(t *testing.T) {
//		hashtest.Run(t, hashtest.Config{
//			New:   func() hash.Hash { return crc64.New(table) },
//			Sum:   func(b []byte) []byte { return binary.BigEndian.AppendUint64(nil, crc64.Checksum(b, table)) },
//			Size:  8,
//			Known: []hashtest.Known{{In: "123456789", Want: "995dc9bbdf1939fa"}},
//		})
//	}
//
// It tests known sums, every way to split an input, access to memory outside the input, saved
// states, clones, one-shot sums from several goroutines, and a stream whose length exceeds 32 bits.
package hashtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"testing"
)

// Config describes the hash function to test.
type Config struct {
	New    func() hash.Hash      // returns a new streaming hash, which must be a hash.Cloner
	Sum    func(b []byte) []byte // one-shot function, which returns newly allocated memory
	Size   int                   // size of a sum in bytes
	Known  []Known               // inputs with sums that independent implementations computed
	Oracle func(b []byte) []byte // another implementation; may be nil

	// Blocks are additional block sizes for Lengths, in bytes: the implementation
	// behaves differently at their multiples.
	Blocks []int

	// State is set if the streaming hash implements encoding.BinaryMarshaler and BinaryUnmarshaler,
	// which Run then tests. Otherwise the hash must not implement them.
	State bool

	// Long is the sum of the bytes of WriteLong in hexadecimal, computed by an independent tool.
	// Set it to "" for a hash that is too slow for 4 GiB. Run skips this test with -short and under
	// the race detector.
	Long string
}

// Known is an input with its known sum.
type Known struct {
	In   string
	Want string // sum in lower-case hexadecimal
}

// Run tests a hash.
func Run(t *testing.T, c Config) {
	t.Helper()
	if c.New == nil || c.Sum == nil {
		t.Fatal("hashtest: Config.New and Config.Sum must be set")
	}
	for _, check := range checks {
		t.Run(check.name, func(t *testing.T) {
			if err := check.run(t, &c); err != nil {
				t.Error(err)
			}
		})
	}
}

// checks are the tests. Each returns the first violation that it finds.
var checks = []struct {
	name string
	run  func(testing.TB, *Config) error
}{
	{"known answers", knownAnswers},
	{"oracle", oracle},
	{"shape", checkShape},
	{"splits", splits},
	{"sum and reset", sumAndReset},
	{"alignment", checkAlignment},
	{"guard pages", guardPages},
	{"retention", retention},
	{"state", checkSavedStates},
	{"clone", checkClones},
	{"concurrency", concurrency},
	{"long", checkLongStream},
}

// Lengths returns the suite's input lengths, sorted. For each common block size and each given
// block size, these are its first five multiples, plus and minus one byte.
func Lengths(blocks ...int) []int {
	all := []int{0}
	for _, block := range append([]int{4, 8, 12, 16, 32, 64, 128, 240, 256, 1024}, blocks...) {
		for k := 1; k <= 5; k++ {
			all = append(all, k*block-1, k*block, k*block+1)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *Config) lengths() []int { return Lengths(c.Blocks...) }

// longest returns the largest of the lengths.
func (c *Config) longest() int {
	all := c.lengths()
	return all[len(all)-1]
}

// Bytes returns the first n bytes of a fixed pseudorandom sequence (xorshift64*, Vigna 2016).
func Bytes(n int) []byte {
	b := make([]byte, n)
	state := uint64(0x9e3779b97f4a7c15)
	for i := range b {
		state ^= state >> 12
		state ^= state << 25
		state ^= state >> 27
		b[i] = byte(state * 0x2545f4914f6cdd1d >> 56)
	}
	return b
}

// sumPieces returns the sum of the pieces, written one after another.
func (c *Config) sumPieces(pieces ...[]byte) []byte {
	h := c.New()
	for _, p := range pieces {
		h.Write(p)
	}
	return h.Sum(nil)
}

func knownAnswers(_ testing.TB, c *Config) error {
	for _, k := range c.Known {
		if got := hex.EncodeToString(c.Sum([]byte(k.In))); got != k.Want {
			return fmt.Errorf("%s: one shot %s, want %s", showInput(k.In), got, k.Want)
		}
		if got := hex.EncodeToString(c.sumPieces([]byte(k.In))); got != k.Want {
			return fmt.Errorf("%s: streaming %s, want %s", showInput(k.In), got, k.Want)
		}
	}
	return nil
}

func showInput(in string) string {
	if len(in) > 40 {
		return fmt.Sprintf("%d bytes from %q", len(in), in[:20])
	}
	return fmt.Sprintf("%q", in)
}

func oracle(_ testing.TB, c *Config) error {
	if c.Oracle == nil {
		return nil
	}
	data := Bytes(c.longest())
	for _, n := range allLengths(c) {
		if got, want := c.Sum(data[:n]), c.Oracle(data[:n]); !bytes.Equal(got, want) {
			return fmt.Errorf("sum of %d bytes: %x, want %x", n, got, want)
		}
	}
	return nil
}

func checkShape(_ testing.TB, c *Config) error {
	h := c.New()
	if h.Size() != c.Size || h.BlockSize() < 1 {
		return fmt.Errorf("size %d, want %d; block size %d", h.Size(), c.Size, h.BlockSize())
	}
	if one, streaming := c.Sum(nil), h.Sum(nil); len(one) != c.Size || !bytes.Equal(one, streaming) {
		return fmt.Errorf("sum of no bytes: one shot %x, streaming %x, want %d bytes", one, streaming, c.Size)
	}
	prefix := []byte("prefix")
	if got := h.Sum(slices.Clip(prefix)); !bytes.Equal(got, append(prefix, c.Sum(nil)...)) {
		return fmt.Errorf("hash.Hash.Sum did not append to its argument: %x", got)
	}
	return nil
}

func concurrency(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	lengths := c.lengths()
	want := make([][]byte, len(lengths))
	for i, n := range lengths {
		want[i] = c.Sum(data[:n])
	}
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			for i, n := range lengths {
				if got := c.Sum(data[:n]); !bytes.Equal(got, want[i]) {
					errs <- fmt.Errorf("sum of %d bytes with other goroutines running: %x, alone %x", n, got, want[i])
					return
				}
			}
			errs <- nil
		}()
	}
	var first error
	for range cap(errs) {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}
