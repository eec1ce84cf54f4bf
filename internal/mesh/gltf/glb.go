package gltf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The constants describe the container of binary glTF (glTF 2.0, chapter 4). It has a header of
// three words, followed by chunks, each with its length, its type and its bytes.
const (
	magic     = "glTF"
	chunkJSON = 0x4e4f534a
	chunkBIN  = 0x004e4942
)

// HeaderSize is the number of bytes in a GLB file before the text of its document.
const HeaderSize = 20

// IsGLB reports whether a file that starts with head is binary glTF.
func IsGLB(head []byte) bool { return len(head) >= 4 && string(head[:4]) == magic }

// TextSize returns the length of the document's text in a GLB file of size bytes. head is the start
// of the file, at least HeaderSize bytes.
func TextSize(head []byte, size int64) (int64, error) {
	if len(head) < HeaderSize {
		return 0, fmt.Errorf("the file has %d bytes; the header of a GLB file alone has %d", len(head), HeaderSize)
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(head[4*i:]) }
	switch {
	case word(1) == 1:
		return 0, errors.New("the GLB file has glTF 1.0; export the model as glTF 2.0")
	case word(1) != 2:
		return 0, fmt.Errorf("the GLB file has version %d, want 2", word(1))
	case int64(word(2)) > size:
		return 0, fmt.Errorf("the header claims %d bytes, but the file has %d: it was cut short, so copy or export it again", word(2), size)
	case word(4) != chunkJSON:
		return 0, errors.New("the first chunk of the GLB file is not JSON")
	case int64(word(3)) > int64(word(2))-HeaderSize:
		return 0, fmt.Errorf("the JSON chunk of %d bytes does not fit into the GLB file of %d", word(3), word(2))
	}
	return int64(word(3)), nil
}

// ReadText reads the text of a model: the document of a GLB file, or the whole of any other file.
// It returns nil for a text of more than most bytes, and for a GLB file without a document. An
// error means that reading failed.
func ReadText(file io.ReaderAt, size, most int64) (text []byte, isGLB bool, err error) {
	head := make([]byte, HeaderSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	head = head[:n]
	at, length, isGLB := int64(0), size, IsGLB(head)
	if isGLB {
		at = HeaderSize
		if length, err = TextSize(head, size); err != nil {
			return nil, true, nil
		}
	}
	if length > most {
		return nil, isGLB, nil
	}
	text = make([]byte, length)
	if n, err = file.ReadAt(text, at); err != nil && err != io.EOF {
		return nil, isGLB, err
	}
	return text[:n], isGLB, nil
}

// IsJSON reports whether the text of a model is a glTF document.
func IsJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, "\ufeff \t\r\n"), []byte("{"))
}

// SplitGLB returns the document and the binary chunk of a GLB file, which share its bytes. chunk is
// nil if the file has none. SplitGLB ignores chunks of other types, as the specification requires.
// odd describes a tolerated fault of the container, or is "".
func SplitGLB(file []byte) (text, chunk []byte, odd string, err error) {
	n, err := TextSize(file, int64(len(file)))
	if err != nil {
		return nil, nil, "", err
	}
	end := binary.LittleEndian.Uint32(file[8:])
	if int(end) < len(file) {
		odd = "there are extra bytes after the end of the GLB data"
	}
	file = file[:end]
	text, rest := file[HeaderSize:][:n:n], file[HeaderSize+n:]
	if n%4 != 0 {
		odd = "a chunk of the GLB file is not a multiple of four bytes long"
	}
	for first := true; len(rest) >= 8; first = false {
		length, kind := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		if int64(length) > int64(len(rest)) {
			return nil, nil, "", fmt.Errorf("a chunk claims %d bytes, but the GLB file has only %d more; copy or export it again", length, len(rest))
		}
		switch {
		case kind == chunkBIN && chunk == nil:
			chunk = rest[:length:length]
			if !first {
				odd = "the binary chunk of the GLB file is not its second chunk"
			}
		case kind == chunkBIN || kind == chunkJSON:
			odd = "the GLB file has more than one chunk of a type; the first is read"
		}
		if length%4 != 0 {
			odd = "a chunk of the GLB file is not a multiple of four bytes long"
		}
		rest = rest[length:]
	}
	return text, chunk, odd, nil
}

// WriteGLB writes a GLB file whose binary chunk is the concatenation of parts. The length of each
// part must be a multiple of four bytes.
func WriteGLB(w io.Writer, text []byte, parts [][]byte) error {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	padding := -len(text) & 3
	total := int64(HeaderSize) + int64(len(text)) + int64(padding)
	if size > 0 {
		total += 8 + int64(size)
	}
	if total > math.MaxUint32 {
		return fmt.Errorf("the model has %d bytes, but a GLB file holds at most %d; split the model", total, uint32(math.MaxUint32))
	}
	le := binary.LittleEndian
	head := le.AppendUint32(append([]byte(nil), magic...), 2)
	head = le.AppendUint32(head, uint32(total))
	head = le.AppendUint32(head, uint32(len(text)+padding))
	head = le.AppendUint32(head, chunkJSON)
	pieces := [][]byte{head, text, []byte("   ")[:padding]}
	if size > 0 {
		pieces = append(pieces, le.AppendUint32(le.AppendUint32(nil, uint32(size)), chunkBIN))
		pieces = append(pieces, parts...)
	}
	for _, p := range pieces {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}
