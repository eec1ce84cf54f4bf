package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A keyForm is the form of the keys of -stats. The zero value is one key on each line.
type keyForm struct {
	hex  bool // each line has a key in hex digits
	sums bool // each line has the sum of a key in hex digits, and the key
	size int  // bytes of a key without separators
}

// maxKeySize bounds the size that -keys takes, like the length of a line.
const maxKeySize = maxLine

func (f *keyForm) Set(text string) error {
	switch size, err := strconv.Atoi(text); {
	case text == "lines":
		*f = keyForm{}
	case text == "hex":
		*f = keyForm{hex: true}
	case text == "sums":
		*f = keyForm{sums: true}
	case err == nil && 0 < size && size <= maxKeySize:
		*f = keyForm{size: size}
	default:
		return fmt.Errorf("want lines, hex, sums, or the bytes of a key, 1 to %d", maxKeySize)
	}
	return nil
}

func (f *keyForm) String() string {
	switch {
	case f.size > 0:
		return strconv.Itoa(f.size)
	case f.hex:
		return "hex"
	case f.sums:
		return "sums"
	}
	return ""
}

// content names the containers of keys in a file, for messages.
func (f *keyForm) content() string {
	if f.size > 0 {
		return "bytes"
	}
	return "lines"
}

// printable formats a key for people: binary keys in hex digits, and texts that would disturb a
// terminal quoted.
func (f *keyForm) printable(key string) string {
	if f.hex || f.size > 0 {
		return hex.EncodeToString([]byte(key))
	}
	if quoted := strconv.QuoteToGraphic(key); !utf8.ValidString(key) || quoted[1:len(quoted)-1] != key {
		return quoted
	}
	return key
}

// A keyList holds the keys of all files.
type keyList struct {
	list   []string
	bytes  int
	sums   map[string]uint64 // low 64 bits, with -keys sums
	digits int               // digits of the longest sum, at most 16
}

// addKey adds a key, within the memory limits.
func (k *keyList) addKey(key []byte) error {
	if k.bytes += len(key); k.bytes > maxKeyBytes || len(k.list) == maxKeys {
		return fmt.Errorf("more than %d keys or %d MiB of them; give fewer", maxKeys, maxKeyBytes>>20)
	}
	k.list = append(k.list, string(key))
	return nil
}

// addKeyWithSum adds the key of a line that begins with its sum and a space.
func (k *keyList) addKeyWithSum(line []byte) error {
	digits, key, found := bytes.Cut(line, []byte(" "))
	if !found || len(digits) == 0 || len(bytes.Trim(digits, "0123456789abcdefABCDEF")) > 0 {
		return errors.New("want a sum in hex digits, a space and a key")
	}
	low := string(digits[max(0, len(digits)-16):])
	sum, err := strconv.ParseUint(low, 16, 64)
	if err != nil {
		return err
	}
	if k.sums == nil {
		k.sums = map[string]uint64{}
	}
	if before, again := k.sums[string(key)]; again && before != sum {
		return fmt.Errorf("the key %q has the sum %x here and %x before", key, sum, before)
	}
	k.sums[string(key)] = sum
	k.digits = max(k.digits, len(low))
	return k.addKey(key)
}

// readKeys adds the keys in a file.
func (c *command) readKeys(ctx context.Context, keys *keyList, name string) error {
	r := io.Reader(counted{c.stdin, c.progress})
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		r = counted{f, c.progress}
	}
	if c.keys.size > 0 {
		return c.readRecords(ctx, keys, name, r)
	}
	end := c.layout.end()
	for lines := newLines(r, end); ctx.Err() == nil; {
		line, err := lines.next()
		if err == io.EOF {
			break
		}
		if err == errTooLong {
			return fmt.Errorf("%s: line %d is %w", shown(name), lines.number, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", shown(name), err)
		}
		if end == '\n' {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		switch {
		case c.keys.hex:
			key, wrong := hex.DecodeString(strings.TrimSpace(string(line)))
			if err = wrong; err == nil {
				err = keys.addKey(key)
			}
		case c.keys.sums:
			err = keys.addKeyWithSum(line)
		default:
			err = keys.addKey(line)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", shown(name), lines.number, err)
		}
	}
	return nil
}

// readRecords adds the keys of a file of keys without separators.
func (c *command) readRecords(ctx context.Context, keys *keyList, name string, r io.Reader) error {
	r = bufio.NewReaderSize(r, maxKeySize)
	record := make([]byte, c.keys.size)
	for number := 1; ctx.Err() == nil; number++ {
		n, err := io.ReadFull(r, record)
		if err == io.EOF {
			break
		}
		if err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%s: key %d, the last, has %d bytes; -keys says %d", shown(name), number, n, c.keys.size)
		}
		if err == nil {
			err = keys.addKey(record)
		}
		if err != nil {
			return fmt.Errorf("%s: key %d: %w", shown(name), number, err)
		}
	}
	return nil
}
