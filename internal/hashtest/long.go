package hashtest

import (
	"encoding/hex"
	"fmt"
	"io"
	"testing"
)

// The long stream is 4100 times the same MiB and a remainder: more bytes than 32 bits can count.
const (
	longBlock = 1 << 20
	longTimes = 4100
	longRest  = 12345
)

// WriteLong writes the long stream, to get its sum from other tools.
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

func long(_ testing.TB, c *Config) error {
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
