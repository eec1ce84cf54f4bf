package hashtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"testing"

	"github.com/assetcook/assetcook/internal/guard"
)

// checkAlignment compares the sums of the same bytes at each of 64 offsets.
func checkAlignment(_ testing.TB, c *Config) error {
	lengths := c.lengths()
	data := Bytes(c.longest())
	backing := make([]byte, len(data)+64)
	want := map[int][]byte{}
	for _, n := range lengths {
		want[n] = c.Sum(data[:n])
	}
	for offset := range 64 {
		copy(backing[offset:], data)
		for _, n := range lengths {
			b := backing[offset:][:n]
			if got := c.Sum(b); !bytes.Equal(got, want[n]) {
				return fmt.Errorf("%d bytes at offset %d: %x, want %x", n, offset, got, want[n])
			}
			if got := c.sumPieces(b[:n/3], b[n/3:]); !bytes.Equal(got, want[n]) {
				return fmt.Errorf("%d bytes at offset %d, streaming: %x, want %x", n, offset, got, want[n])
			}
		}
	}
	return nil
}

// guardPages computes sums of inputs that start or end at unreadable memory, and of read-only
// inputs.
func guardPages(t testing.TB, c *Config) error {
	data := Bytes(c.longest())
	buf := guard.New(t, len(data))
	sums := func(where string, b []byte) error {
		n := len(b)
		copy(b, data)
		want := c.Sum(data[:n])
		var one []byte
		var cut [][]byte
		var err error
		buf.ReadOnly(func() {
			err = buf.Catch(func() {
				one = c.Sum(b)
				for _, k := range []int{0, 1, 15, n / 2, n - 1} {
					if k >= 0 && k <= n {
						cut = append(cut, c.sumPieces(b[:k:k], b[k:n:n]))
					}
				}
			})
		})
		if err != nil {
			return fmt.Errorf("%d bytes %s: %w", n, where, err)
		}
		for _, got := range append(cut, one) {
			if !bytes.Equal(got, want) {
				return fmt.Errorf("sum of %d bytes %s: %x, in other memory %x", n, where, got, want)
			}
		}
		return nil
	}
	for _, n := range allLengths(c) {
		if err := sums("before a guard page", buf.End(n)); err != nil {
			return err
		}
		if err := sums("behind a guard page", buf.Start(n)); err != nil {
			return err
		}
	}
	return nil
}

// allLengths returns every length below 300, followed by the longer ones of c.lengths.
func allLengths(c *Config) []int {
	var all []int
	for n := range 300 {
		all = append(all, n)
	}
	for _, n := range c.lengths() {
		if n >= 300 {
			all = append(all, n)
		}
	}
	return all
}

// retention checks that Write does not change its argument, and that overwriting the argument
// afterwards does not change the sum.
func retention(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	for _, n := range c.lengths() {
		want := c.Sum(data[:n])
		b := bytes.Clone(data[:n])
		if c.Sum(b); !bytes.Equal(b, data[:n]) {
			return fmt.Errorf("sum of %d bytes: the one-shot sum changed its input", n)
		}
		h := c.New()
		for len(b) > 0 {
			piece := b[:min(len(b), 1+n/3)]
			h.Write(piece)
			if !bytes.Equal(b, data[n-len(b):n]) {
				return fmt.Errorf("%d bytes: Write changed its input", n)
			}
			clear(piece)
			b = b[len(piece):]
		}
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("sum of %d bytes, which were cleared after Write: %x, want %x", n, got, want)
		}
	}
	return nil
}

// The long stream consists of 4100 equal parts of 1 MiB and a remainder, so that its length exceeds
// 32 bits.
const (
	longBlock = 1 << 20
	longTimes = 4100
	longRest  = 12345
)

// WriteLong writes the long stream, so that other tools can compute its sum.
func WriteLong(w io.Writer) error {
	block := Bytes(longBlock)
	for range longTimes {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	_, err := w.Write(block[:longRest])
	return err
}

func checkLongStream(_ testing.TB, c *Config) error {
	if c.Long == "" || testing.Short() || raceDetector {
		return nil
	}
	h := c.New()
	if err := WriteLong(h); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != c.Long {
		return fmt.Errorf("%d bytes: %s, want %s", int64(longTimes)*longBlock+longRest, got, c.Long)
	}
	return nil
}
