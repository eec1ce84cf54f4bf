package hashtest

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"testing"
)

// saver is a hash whose state can be saved.
type saver interface {
	hash.Hash
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// clone clones a hash after half of the input. The hash and its clone must continue
// independently.
func clone(_ testing.TB, c *Config) error {
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
			return fmt.Errorf("clone after %d of %d bytes: %x, want %x", n, len(data), got, whole)
		}
		other.Reset()
		if got, want := other.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("clone after %d bytes and reset: %x, want %x", n, got, want)
		}
		if got, want := h.Sum(nil), c.stream(data[:n], []byte("of the first alone")); !bytes.Equal(got, want) {
			return fmt.Errorf("cloned after %d bytes: %x, want %x", n, got, want)
		}
	}
	return nil
}

// state stops in the middle, saves, and continues in another hash.
func state(_ testing.TB, c *Config) error {
	h, ok := c.New().(saver)
	if ok != c.State {
		return fmt.Errorf("can save and restore its state: %v, Config.State: %v", ok, c.State)
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
		clear(saved) // no hash may keep it
		for _, h := range []saver{h, other} {
			h.Write(data[n:])
			if got := h.Sum(nil); !bytes.Equal(got, whole) {
				return fmt.Errorf("saved after %d of %d bytes: %x, want %x", n, len(data), got, whole)
			}
		}
		other.Reset()
		if got, want := other.Sum(nil), c.Sum(nil); !bytes.Equal(got, want) {
			return fmt.Errorf("restored and reset: %x, want %x", got, want)
		}
	}
	return refusals(c, data)
}

// refusals restores invalid states, which must fail and change nothing.
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
		if err := refuse(fmt.Sprintf("%d bytes of a state of %d", n, len(good)), good[:n]); err != nil {
			return err
		}
	}
	if err := refuse("a state with a byte too many", append(bytes.Clone(good), 0)); err != nil {
		return err
	}
	foreign := bytes.Clone(good)
	copy(foreign, "none")
	return refuse("the state of another hash", foreign)
}
