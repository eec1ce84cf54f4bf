package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A directory holds the entries of a page, by tag.
type directory struct {
	data    []byte
	order   binary.ByteOrder
	entries map[int]entry
	// short is set when a requested number is beyond the data.
	short *bool
}

// An entry is a list of whole numbers.
type entry struct {
	size   int // bytes of each: 1, 2 or 4
	count  int64
	values []byte // all that the data has
}

// readDirectory reads the first directory of a file.
func readDirectory(data []byte) (directory, error) {
	torn := fmt.Errorf("tiff: directory: %w", io.ErrUnexpectedEOF)
	if len(data) < 8 {
		return directory{}, torn
	}
	if sign := string(data[:4]); sign == "II+\x00" || sign == "MM\x00+" {
		return directory{}, errors.New("tiff: BigTIFF is not supported; save the picture as an ordinary TIFF")
	}
	d := directory{data: data, order: byteOrder(string(data[:4])), entries: map[int]entry{}, short: new(bool)}
	if d.order == nil {
		return directory{}, errors.New("tiff: file does not start with II*. or MM.*")
	}
	at := int64(d.order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return directory{}, torn
	}
	count := int64(d.order.Uint16(data[at:]))
	if at+2+12*count > int64(len(data)) {
		return directory{}, torn
	}
	for i := range count {
		d.addEntry(data[at+2+12*i:])
	}
	return d, nil
}

// addEntry adds an entry: tag, type, count, and the place of the values, or the values themselves
// if they are short enough. The first entry of a tag counts.
func (d *directory) addEntry(raw []byte) {
	tag, count := int(d.order.Uint16(raw)), int64(d.order.Uint32(raw[4:]))
	size, ok := map[uint16]int{1: 1, 3: 2, 4: 4, 7: 1}[d.order.Uint16(raw[2:])]
	if _, double := d.entries[tag]; !ok || double {
		return
	}
	e := entry{size: size, count: count, values: raw[8:12]}
	if int64(size)*count > 4 {
		at := min(int64(d.order.Uint32(raw[8:])), int64(len(d.data)))
		e.values = d.data[at:min(at+int64(size)*count, int64(len(d.data)))]
	}
	d.entries[tag] = e
}

// entryNumber returns the first number of a tag, or otherwise.
func (d *directory) entryNumber(tag int, otherwise int64) int64 { return d.entryAt(tag, 0, otherwise) }

// entryAt returns the i-th number of a tag, or otherwise if it has fewer.
func (d *directory) entryAt(tag, i int, otherwise int64) int64 {
	e := d.entries[tag]
	if int64(i) >= e.count {
		return otherwise
	}
	if (i+1)*e.size > len(e.values) {
		*d.short = true
		return otherwise
	}
	v := e.values[i*e.size:]
	switch e.size {
	case 1:
		return int64(v[0])
	case 2:
		return int64(d.order.Uint16(v))
	}
	return int64(d.order.Uint32(v))
}

// bytes returns the bytes of a tag, or nil if some are missing.
func (d *directory) bytes(tag int) []byte {
	e := d.entries[tag]
	if e.size != 1 || int64(len(e.values)) < e.count {
		return nil
	}
	return e.values[:e.count]
}

// err returns an error if a requested number was beyond the data.
func (d *directory) err() error {
	if *d.short {
		return fmt.Errorf("tiff: directory: %w", io.ErrUnexpectedEOF)
	}
	return nil
}
