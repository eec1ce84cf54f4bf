package ktx2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/klauspost/compress/zstd"
)

// maxZstdRatio is the maximum expansion of Zstandard data. A block of at most 128 KiB takes at
// least 4 bytes: a header of three, and one byte to repeat (RFC 8878, section 3.1.1.2).
const maxZstdRatio = 128 << 10 / 4

// Read parses a whole file. It checks everything that Write guarantees: sections in order and
// without gaps, padding of zeros, a descriptor that matches the format, sorted keys, and levels of
// the right size. Decompressed levels may take at most limit bytes; a file that declares more is
// refused before anything is allocated. Levels without supercompression are slices of data.
func Read(data []byte, limit int64) (*texture.Texture, error) {
	t, err := readWithin(data, limit)
	if err != nil {
		return nil, fmt.Errorf("read ktx2: %w", err)
	}
	return t, nil
}

func readWithin(data []byte, limit int64) (*texture.Texture, error) {
	if !bytes.HasPrefix(data, []byte(identifier)) {
		return nil, errors.New("the file is not KTX 2.0")
	}
	if len(data) < headerSize {
		return nil, errors.New("the file ends inside the header; copy or export it again")
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(data[len(identifier)+4*i:]) }
	t, err := readTextureShape(field)
	if err != nil {
		return nil, err
	}
	count := int64(field(7))
	if count < 1 || count > int64(texture.MaxLevels(t.W, t.H)) {
		return nil, fmt.Errorf("%d levels are too many for %d x %d pixels", count, t.W, t.H)
	}
	scheme := Scheme(field(8))
	if scheme != None && scheme != Zstd {
		return nil, fmt.Errorf("supercompression scheme %d is not supported", uint32(scheme))
	}
	if sgd := data[64:headerSize]; !allZeros(sgd) {
		return nil, errors.New("the file has supercompression global data, but its scheme uses none; export the file again")
	}

	at := headerSize + levelIndexSize*count
	at, ok := checkSection(data, at, field(9), field(10))
	if !ok {
		return nil, errors.New("the data format descriptor is at the wrong place; export the file again")
	}
	if err := readDescriptor(t, data[field(9):at], scheme); err != nil {
		return nil, err
	}
	if field(12) == 0 {
		if field(11) != 0 {
			return nil, errors.New("the key/value data is empty but has an offset; export the file again")
		}
	} else {
		if at, ok = checkSection(data, at, field(11), field(12)); !ok {
			return nil, errors.New("the key/value data is at the wrong place; export the file again")
		}
		if err := readKeyValues(t, data[field(11):at]); err != nil {
			return nil, err
		}
	}
	if err := readLevels(t, data, at, int(count), scheme, limit); err != nil {
		return nil, err
	}
	return t, t.Check()
}

// readTextureShape reads the format, size and counts from the header.
func readTextureShape(field func(int) uint32) (*texture.Texture, error) {
	number := field(0)
	format, srgb, ok := formatOfVulkan(number)
	if wide, _, _ := format.Block(); !ok || wide == 0 {
		return nil, fmt.Errorf("VkFormat %d is not supported; export with another format", number)
	}
	if want := typeSize(format); field(1) != uint32(want) {
		return nil, fmt.Errorf("the type size is %d, but %v needs %d", field(1), format, want)
	}
	if field(2) < 1 || field(3) < 1 || field(2) > texture.MaxSide || field(3) > texture.MaxSide {
		return nil, fmt.Errorf("the size %d x %d is out of range", field(2), field(3))
	}
	if field(4) > texture.MaxDepth {
		return nil, fmt.Errorf("the number of slices, %d, is too large", field(4))
	}
	if field(5) > texture.MaxLayers {
		return nil, fmt.Errorf("the number of layers, %d, is too large", field(5))
	}
	if field(6) != 1 && field(6) != 6 {
		return nil, fmt.Errorf("the face count is %d, want 1 or 6", field(6))
	}
	t := &texture.Texture{
		Format: format, SRGB: srgb,
		W: int(field(2)), H: int(field(3)), Layers: int(field(5)), Cube: field(6) == 6, Depth: int(field(4)),
	}
	if t.Cube && t.W != t.H {
		return nil, fmt.Errorf("the faces of a cube are %d x %d pixels, not square", t.W, t.H)
	}
	return t, nil
}

// checkSection checks that a section with the given offset and length starts at data[at]. It
// returns the end of the section.
func checkSection(data []byte, at int64, offset, length uint32) (int64, bool) {
	end := at + int64(length)
	return end, int64(offset) == at && end <= int64(len(data))
}

// readDescriptor checks that d is a descriptor of the texture, and sets the texture's alpha fields.
func readDescriptor(t *texture.Texture, d []byte, s Scheme) error {
	t.Premultiplied = len(d) > flagsAt && d[flagsAt] == premultiplied
	if t.Format == texture.UASTC { // every format except UASTC has a VkFormat
		t.SRGB = len(d) > flagsAt && d[transferAt] == transferSRGB
		t.Opaque = len(d) > channelAt && channel(d[channelAt]) == channelUASTC
	}
	if t.Format == texture.ASTC4x4HDR && len(d) > modelAt && colorModel(d[modelAt]) == modelHDR {
		t.Format = texture.UASTCHDR // both formats have the same VkFormat
	}
	want := descriptor(t)
	// Before revision 4, bytesPlane had to be 0 in files with supercompression.
	if s != None && len(d) == len(want) && d[bytesPlane0At] == 0 {
		want[bytesPlane0At] = 0
	}
	if !bytes.Equal(d, want) {
		return fmt.Errorf("the data format descriptor does not match %v; export the file again", t.Format)
	}
	return nil
}

// readKeyValues checks the key/value data and sets the texture's swizzle from it.
func readKeyValues(t *texture.Texture, kv []byte) error {
	last := ""
	for at := int64(0); at < int64(len(kv)); {
		rest := kv[at:]
		if len(rest) < 4 {
			return errors.New("the key/value data ends inside a length; export the file again")
		}
		length := int64(binary.LittleEndian.Uint32(rest))
		end := 4 + alignOffset(length, 4)
		if end > int64(len(rest)) {
			return errors.New("a key/value pair is longer than the key/value data")
		}
		key, value, ok := strings.Cut(string(rest[4:4+length]), "\x00")
		switch {
		case !ok || key == "":
			return errors.New("a key/value pair has no key")
		case key <= last:
			return fmt.Errorf("key %q must come before %q, because keys are sorted", key, last)
		case !allZeros(rest[4+length : end]):
			return fmt.Errorf("the padding after key %q is not zero; export the file again", key)
		case key == orientationKey && value != orientation(t):
			return fmt.Errorf("orientation %q is not supported, only %q", value, orientation(t))
		case key == swizzleKey:
			letters, ended := strings.CutSuffix(value, "\x00")
			if texture.CheckSwizzle(letters) != nil || letters == "" || !ended {
				return fmt.Errorf("swizzle %q is invalid: want four of the characters rgba01 and a zero byte", value)
			}
			t.Swizzle = letters
		}
		last, at = key, at+end
	}
	return nil
}

func readLevels(t *texture.Texture, data []byte, at int64, count int, s Scheme, limit int64) error {
	alignment := levelAlignment(t.Format)
	if s != None {
		alignment = 1
	}
	var total int64
	packed, sizes := make([][]byte, count), make([]int64, count)
	for i := count - 1; i >= 0; i-- {
		entry := data[headerSize+levelIndexSize*i:]
		offset := binary.LittleEndian.Uint64(entry)
		length := binary.LittleEndian.Uint64(entry[8:])
		start := alignOffset(at, alignment)
		if offset != uint64(start) || start > int64(len(data)) || length > uint64(int64(len(data))-start) {
			return fmt.Errorf("level %d is at the wrong place, or the file is truncated; copy or export it again", i)
		}
		if !allZeros(data[at:start]) {
			return fmt.Errorf("the padding before level %d is not zero; export the file again", i)
		}
		at = start + int64(length)
		packed[i] = data[start:at:at]

		w, h := texture.LevelSize(t.W, t.H, i)
		want := int64(t.Images()) * t.Format.Bytes(w, h)
		if binary.LittleEndian.Uint64(entry[16:]) != uint64(want) {
			return fmt.Errorf("the size of level %d does not match %d x %d pixels; export the file again", i, w, h)
		}
		if s == None && int64(length) != want || want/maxZstdRatio > int64(length) {
			return fmt.Errorf("level %d is too short for %d x %d pixels", i, w, h)
		}
		if total += want; total > limit || total < want {
			return fmt.Errorf("the levels have more than %d bytes", limit)
		}
		sizes[i] = want
	}
	if at != int64(len(data)) {
		return fmt.Errorf("there are %d bytes after the last level; export the file again", int64(len(data))-at)
	}
	if s == None {
		t.Levels = packed
		return nil
	}
	levels, err := unpackZstd(packed, sizes)
	t.Levels = levels
	return err
}

func unpackZstd(packed [][]byte, sizes []int64) ([][]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	levels := make([][]byte, len(packed))
	for i, p := range packed {
		// DecodeAll stops when the slice is full, so the slice never grows.
		out, err := dec.DecodeAll(p, make([]byte, 0, sizes[i]))
		if err != nil {
			return nil, fmt.Errorf("level %d: %w", i, err)
		}
		if int64(len(out)) != sizes[i] {
			return nil, fmt.Errorf("level %d has %d bytes after decompression, want %d", i, len(out), sizes[i])
		}
		levels[i] = out
	}
	return levels, nil
}

func allZeros(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}
