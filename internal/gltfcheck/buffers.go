package gltfcheck

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// check checks one document.
type check struct {
	doc       *Document
	chunk     int64                            // bytes of the GLB file's binary chunk, or NoChunk
	size      func(name string) (int64, error) // of a dependency, in bytes
	faults    faults
	mended    []Mend
	usages    []usage // of accessors
	states    []viewState
	unbounded map[int32]bool // accessors without the min and max that they need
	parent    []int32        // of nodes, -1 for roots; nil if some are on a cycle
}

// buffers checks that each buffer holds the bytes that it declares. It returns
// an error only if the context ends.
func (c *check) buffers(ctx context.Context) error {
	files := map[string]sizeOrError{}
	for i := range c.doc.Buffers {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &c.doc.Buffers[i]
		if b.ByteLength < 1 {
			c.faults.addFault("buffer %d: byteLength is %d, want at least 1", i, b.ByteLength)
			continue
		}
		if b.URI == nil && i == 0 && c.chunk != NoChunk {
			if c.chunk < b.ByteLength {
				c.faults.addFault("buffer 0: the binary chunk holds %d bytes, byteLength asks for %d", c.chunk, b.ByteLength)
			}
			continue
		}
		if b.URI == nil {
			continue // an extension, or who loads the model, brings the bytes
		}
		have, err := c.bufferSize(*b.URI, files)
		if err != nil {
			c.faults.addFault("buffer %d: %v", i, err)
		} else if have < b.ByteLength {
			c.faults.addFault("buffer %d: %s holds %d bytes, byteLength asks for %d", i, showURI(*b.URI), have, b.ByteLength)
		}
		if IsDataURI(*b.URI) && !isBufferType(mediaTypeOf(*b.URI)) {
			c.mend("a data URI of a buffer whose media type is not application/octet-stream or application/gltf-buffer", "read all the same", "buffer", i)
		}
	}
	return nil
}

func isBufferType(mediaType string) bool {
	return strings.EqualFold(mediaType, "application/octet-stream") || strings.EqualFold(mediaType, "application/gltf-buffer")
}

// sizeOrError is what came of measuring a file. Any number of buffers may name
// one: it is opened once.
type sizeOrError struct {
	size int64
	err  error
}

func (c *check) bufferSize(uri string, files map[string]sizeOrError) (int64, error) {
	if IsDataURI(uri) {
		return dataURISize(uri)
	}
	name, err := FileOfURI(uri)
	if err != nil {
		return 0, err
	}
	file, ok := files[name]
	if !ok {
		file.size, file.err = c.size(name)
		if errors.Is(file.err, fs.ErrNotExist) {
			file.err = fmt.Errorf("%s does not exist", showURI(name))
		}
		files[name] = file
	}
	return file.size, file.err
}

// FileOfURI returns the file that a relative URI names, relative to the
// document's folder, cleaned.
func FileOfURI(uri string) (string, error) {
	switch {
	case uri == "":
		return "", errors.New("uri is empty")
	case hasScheme(uri):
		return "", fmt.Errorf("%s is not a file; glTF that is cooked must bring its files along", showURI(uri))
	case strings.Contains(strings.SplitN(uri, "/", 2)[0], ":"):
		return "", fmt.Errorf("%s is no relative URI; in a file name a colon is written %%3A", showURI(uri))
	case uri[0] == '/':
		return "", fmt.Errorf("%s is absolute, want a path relative to the document", showURI(uri))
	case strings.ContainsAny(uri, "?#"):
		return "", fmt.Errorf("%s has a query or fragment; in a file name write %%3F for ? and %%23 for #", showURI(uri))
	}
	name, err := unescape(uri)
	if err != nil {
		return "", fmt.Errorf("%s: %w; in a file name write %%25 for %%", showURI(uri), err)
	}
	// Cleaned, so that a file has one name however it is spelled. A leading
	// slash that was escaped must not turn into the asset tree's root.
	return path.Clean("./" + name), nil
}

// unescape replaces what is percent-encoded by the bytes that it stands for, as
// RFC 3986 section 2.1 has it. net/url does that too, but brings tables along that
// every start of the program would have to fill.
func unescape(text string) (string, error) {
	at := strings.IndexByte(text, '%')
	if at < 0 {
		return text, nil
	}
	plain := append(make([]byte, 0, len(text)), text[:at]...)
	for ; at < len(text); at++ {
		if text[at] != '%' {
			plain = append(plain, text[at])
			continue
		}
		code := text[at:min(at+3, len(text))]
		b, err := hex.DecodeString(code[1:])
		if err != nil || len(b) != 1 {
			return "", fmt.Errorf("invalid URL escape %q", code)
		}
		plain = append(plain, b[0])
		at += 2
	}
	return string(plain), nil
}

// hasScheme follows RFC 3986 section 3.1, so a drive letter is one too.
func hasScheme(uri string) bool {
	scheme, _, found := strings.Cut(uri, ":")
	if !found || scheme == "" {
		return false
	}
	for i, c := range []byte(strings.ToLower(scheme)) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return true
}

// IsDataURI reports whether a URI holds the data itself (RFC 2397).
func IsDataURI(uri string) bool {
	return len(uri) >= 5 && strings.EqualFold(uri[:5], "data:")
}

// showURI quotes a URI for a message, shortened as data URIs may be huge.
func showURI(uri string) string {
	const longest = 80
	if IsDataURI(uri) {
		return "its data URI"
	}
	if len(uri) > longest {
		return fmt.Sprintf("%q...", uri[:longest])
	}
	return fmt.Sprintf("%q", uri)
}
