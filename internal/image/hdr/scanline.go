package hdr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Scan lines of these lengths may be stored channel by channel.
const (
	leastByChannel = 8
	mostByChannel  = 1<<15 - 1
)

// readLine fills line with the next scan line, which is stored in one of two
// ways: channel by channel or, in older files, pixel by pixel.
func readLine(r *bufio.Reader, line []byte) error {
	pixels := len(line) / 4
	if pixels >= leastByChannel && pixels <= mostByChannel {
		sign, err := r.Peek(4)
		if err != nil {
			return err
		}
		// No pixel starts so: the largest mantissa is never below 128.
		if sign[0] == 2 && sign[1] == 2 && sign[2] < 128 {
			if length := int(sign[2])<<8 | int(sign[3]); length != pixels {
				return fmt.Errorf("it says that it has %d pixels, not %d", length, pixels)
			}
			_, _ = r.Discard(len(sign)) // they are there
			return readChannels(r, line)
		}
	}
	return readPixels(r, line)
}

// readChannels reads all reds, then all greens, blues and exponents, each as
// packets: up to 128 numbers, or a count beyond that and one number which is
// repeated so many times more than 128.
func readChannels(r *bufio.Reader, line []byte) error {
	for c := range 4 {
		for at := c; at < len(line); {
			count, err := r.ReadByte()
			if err != nil {
				return err
			}
			n, same := int(count), count > 128
			if same {
				n -= 128
			}
			if left := (len(line) - at + 3) / 4; n == 0 || n > left {
				return fmt.Errorf("a packet of %d pixels where %d are left", n, left)
			}
			var v byte
			for i := range n {
				if i == 0 || !same {
					if v, err = r.ReadByte(); err != nil {
						return err
					}
				}
				line[at] = v
				at += 4
			}
		}
	}
	return nil
}

// readPixels reads pixels of four bytes. One of mantissas 1, 1, 1 is no pixel
// but repeats the last one as often as its exponent says; one right after it
// counts 256 times as much.
func readPixels(r *bufio.Reader, line []byte) error {
	var p [4]byte
	for at, shift := 0, 0; at < len(line); {
		if _, err := io.ReadFull(r, p[:]); err != nil {
			return err
		}
		if p[0] != 1 || p[1] != 1 || p[2] != 1 {
			at += copy(line[at:], p[:])
			shift = 0
			continue
		}
		if at == 0 {
			return errors.New("it starts with a repetition")
		}
		if shift > 24 {
			return errors.New("a repetition is too long")
		}
		left := int64(len(line)-at) / 4
		n := int64(p[3]) << shift
		if n > left {
			return fmt.Errorf("a repetition of %d pixels where %d are left", n, left)
		}
		for end := at + 4*int(n); at < end; at += 4 {
			copy(line[at:], line[at-4:at])
		}
		shift += 8
	}
	return nil
}
