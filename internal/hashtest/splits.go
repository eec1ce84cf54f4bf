package hashtest

import (
	"bytes"
	"fmt"
	"testing"
)

// dense is the length up to which inputs are cut in two at every place.
const dense = 150

// splits writes inputs in pieces.
func splits(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	// two cuts the first n bytes at each of the places.
	two := func(n int, cuts []int) error {
		b := data[:n]
		want := c.Sum(b)
		for _, cut := range cuts {
			if cut > n {
				break
			}
			for _, cut := range [...]int{cut, n - cut} {
				if got := c.stream(b[:cut], nil, b[cut:]); !bytes.Equal(got, want) {
					return fmt.Errorf("%d+%d bytes: %x, one shot %x", cut, n-cut, got, want)
				}
			}
		}
		return nil
	}
	var all []int
	for n := range dense {
		all = append(all, n)
		if err := two(n, all[:n/2+1]); err != nil { // cuts counted from the other end follow
			return err
		}
	}
	lengths := c.lengths()
	for _, n := range lengths {
		if err := two(n, lengths); err != nil {
			return err
		}
	}
	// Equal pieces. Sum is called after each, so it must not change the state.
	for _, piece := range []int{1, 3, 7, 13, 16, 17, 31, 64, 100, 255, 1000} {
		h := c.New()
		for at := 0; at < len(data); at += piece {
			end := min(at+piece, len(data))
			if n, err := h.Write(data[at:end]); n != end-at || err != nil {
				return fmt.Errorf("writing %d bytes: %d, %v", end-at, n, err)
			}
			got := h.Sum(nil)
			if end > 4*dense && end < len(data) && piece < dense {
				continue // for many pieces, do not repeat the whole input for each
			}
			if want := c.Sum(data[:end]); !bytes.Equal(got, want) {
				return fmt.Errorf("%d bytes in pieces of %d: %x, one shot %x", end, piece, got, want)
			}
		}
	}
	return nil
}

// sumAndReset calls Sum twice, writes nothing, and resets at every length.
func sumAndReset(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	other := bytes.Repeat([]byte{0xa5}, 99)
	h := c.New()
	for _, n := range c.lengths() {
		h.Write(other)
		h.Reset()
		if got, want := h.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("after Reset: %x, fresh %x", got, want)
		}
		h.Write(data[:n])
		want := c.Sum(data[:n])
		for _, when := range []string{"once", "twice", "after writes of nothing"} {
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				return fmt.Errorf("%d bytes, asked %s: %x, one shot %x", n, when, got, want)
			}
			if when == "twice" {
				h.Write(nil)
				h.Write(data[n:n])
			}
		}
		h.Write(other)
		if got, want := h.Sum(nil), c.Sum(append(data[:n:n], other...)); !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes and %d more: %x, one shot %x", n, len(other), got, want)
		}
	}
	return nil
}
