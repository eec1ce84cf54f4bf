package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of a list in bytes. A name of 4096 bytes as JSON with only escapes fits.
const maxLine = 32 << 10

var errTooLong = fmt.Errorf("longer than %d KiB", maxLine>>10)

// errUTF16 ends a list in which every line is unreadable.
var errUTF16 = errors.New("the list is UTF-16; save it as UTF-8 (PowerShell: | Out-File -Encoding utf8 SUMS)")

// A lines value reads a list line by line, in the memory of one line.
type lines struct {
	r      *bufio.Reader
	end    byte
	number int // number of the last line, from 1
}

func newLines(r io.Reader, end byte) *lines {
	return &lines{r: bufio.NewReaderSize(r, maxLine), end: end}
}

// next returns the next line without its end, which the last line may lack. The line is valid until
// the next call. After errTooLong, reading goes on behind that line. Any other error ends the list;
// io.EOF says that nothing is left.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice(l.end)
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice(l.end)
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	}
	l.number++
	if tooLong {
		return nil, errTooLong
	}
	if l.number == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))) {
		return nil, errUTF16
	}
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // Windows editors write it
	}
	return bytes.TrimSuffix(line, []byte{l.end}), nil
}
