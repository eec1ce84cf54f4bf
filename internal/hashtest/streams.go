package hashtest

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"testing"
)

// dense is the maximum length of inputs that are split at every position.
const dense = 150

// splits checks that splitting the input does not change the sum.
func splits(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	// The function two splits the first n bytes at each position in cuts, counted from the start
	// and from the end. It compares the sum of the two pieces with Sum.
	two := func(n int, cuts []int) error {
		b := data[:n]
		want := c.Sum(b)
		for _, cut := range cuts {
			if cut > n {
				break
			}
			for _, cut := range [...]int{cut, n - cut} {
				if got := c.sumPieces(b[:cut], nil, b[cut:]); !bytes.Equal(got, want) {
					return fmt.Errorf("sum of %d+%d bytes: %x, one shot %x", cut, n-cut, got, want)
				}
			}
		}
		return nil
	}
	var all []int
	for n := range dense {
		all = append(all, n)
		if err := two(n, all[:n/2+1]); err != nil { // two splits at each position from the start and from the end, so half of the positions suffice
			return err
		}
	}
	lengths := c.lengths()
	for _, n := range lengths {
		if err := two(n, lengths); err != nil {
			return err
		}
	}
	// Split the input into equal pieces. Sum is called after each piece, because it must not change
	// the state.
	for _, piece := range []int{1, 3, 7, 13, 16, 17, 31, 64, 100, 255, 1000} {
		h := c.New()
		for at := 0; at < len(data); at += piece {
			end := min(at+piece, len(data))
			if n, err := h.Write(data[at:end]); n != end-at || err != nil {
				return fmt.Errorf("a Write of %d bytes returned %d, %v", end-at, n, err)
			}
			got := h.Sum(nil)
			if end > 4*dense && end < len(data) && piece < dense {
				continue // skip most lengths if there are many pieces
			}
			if want := c.Sum(data[:end]); !bytes.Equal(got, want) {
				return fmt.Errorf("sum of %d bytes in pieces of %d: %x, one shot %x", end, piece, got, want)
			}
		}
	}
	return nil
}

// sumAndReset checks three actions at every length: calling Sum twice, writing nothing, and
// resetting. None may have a side effect on later sums.
func sumAndReset(_ testing.TB, c *Config) error {
	data := Bytes(c.longest())
	other := bytes.Repeat([]byte{0xa5}, 99)
	h := c.New()
	for _, n := range c.lengths() {
		h.Write(other)
		h.Reset()
		if got, want := h.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("sum after Reset: %x, of a new hash: %x", got, want)
		}
		h.Write(data[:n])
		want := c.Sum(data[:n])
		for _, when := range []string{"once", "twice", "after empty writes"} {
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				return fmt.Errorf("sum of %d bytes, called %s: %x, one shot %x", n, when, got, want)
			}
			if when == "twice" {
				h.Write(nil)
				h.Write(data[n:n])
			}
		}
		h.Write(other)
		if got, want := h.Sum(nil), c.Sum(append(data[:n:n], other...)); !bytes.Equal(got, want) {
			return fmt.Errorf("sum of %d bytes and %d more: %x, one shot %x", n, len(other), got, want)
		}
	}
	return nil
}

// A saver is a hash whose state can be saved.
type saver interface {
	hash.Hash
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// checkClones clones a hash after half of the input. The hash and its clone must continue
// independently.
func checkClones(_ testing.TB, c *Config) error {
	h, ok := c.New().(hash.Cloner)
	if !ok {
		return errors.New("is not a hash.Cloner")
	}
	data := Bytes(c.longest())
	whole := c.Sum(data)
	for _, n := range c.lengths() {
		h.Reset()
		h.Write(data[:n])
		other, err := h.Clone()
		if err != nil {
			return fmt.Errorf("clone after %d bytes: %w", n, err)
		}
		h.Write([]byte("of the first alone"))
		other.Write(data[n:])
		if got := other.Sum(nil); !bytes.Equal(got, whole) {
			return fmt.Errorf("sum of a clone after %d of %d bytes: %x, want %x", n, len(data), got, whole)
		}
		other.Reset()
		if got, want := other.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("sum of a clone after %d bytes and Reset: %x, want %x", n, got, want)
		}
		if got, want := h.Sum(nil), c.sumPieces(data[:n], []byte("of the first alone")); !bytes.Equal(got, want) {
			return fmt.Errorf("sum of the original, cloned after %d bytes: %x, want %x", n, got, want)
		}
	}
	return nil
}

// checkSavedStates saves the state after half of the input, and continues in another hash.
func checkSavedStates(_ testing.TB, c *Config) error {
	h, ok := c.New().(saver)
	if ok != c.State {
		return fmt.Errorf("the hash can save its state: %v, but Config.State is %v", ok, c.State)
	}
	if !ok {
		return nil
	}
	data := Bytes(c.longest())
	whole := c.Sum(data)
	for _, n := range c.lengths() {
		h.Reset()
		h.Write(data[:n])
		saved, err := h.MarshalBinary()
		if err != nil {
			return fmt.Errorf("save after %d bytes: %w", n, err)
		}
		if a, ok := h.(encoding.BinaryAppender); ok {
			appended, err := a.AppendBinary([]byte("prefix"))
			if err != nil || !bytes.Equal(appended, append([]byte("prefix"), saved...)) {
				return fmt.Errorf("AppendBinary after %d bytes: %x, %v, MarshalBinary gives %x", n, appended, err, saved)
			}
		}
		other := c.New().(saver)
		other.Write([]byte("forgotten"))
		if err := other.UnmarshalBinary(saved); err != nil {
			return fmt.Errorf("restore after %d bytes: %w", n, err)
		}
		clear(saved) // a hash must not retain the saved state
		for _, h := range []saver{h, other} {
			h.Write(data[n:])
			if got := h.Sum(nil); !bytes.Equal(got, whole) {
				return fmt.Errorf("sum of a state saved after %d of %d bytes: %x, want %x", n, len(data), got, whole)
			}
		}
		other.Reset()
		if got, want := other.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("sum after restore and Reset: %x, want %x", got, want)
		}
	}
	return refusals(c, data)
}

// refusals checks that restoring an invalid state fails and changes nothing.
func refusals(c *Config, data []byte) error {
	h := c.New().(saver)
	h.Write(data[:77])
	good, err := h.MarshalBinary()
	if err != nil {
		return err
	}
	want := h.Sum(nil)
	refuse := func(what string, bad []byte) error {
		if h.UnmarshalBinary(bad) == nil {
			return errors.New("restored from " + what)
		}
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			return errors.New("changed by " + what + ", which was refused")
		}
		return nil
	}
	for n := range good {
		if err := refuse(fmt.Sprintf("%d bytes of a state of %d bytes", n, len(good)), good[:n]); err != nil {
			return err
		}
	}
	if err := refuse("a state with one extra byte", append(bytes.Clone(good), 0)); err != nil {
		return err
	}
	foreign := bytes.Clone(good)
	copy(foreign, "none")
	return refuse("the state of another hash", foreign)
}
