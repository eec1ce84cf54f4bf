package gltfcheck

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DataURI returns what a data URI holds, and the media type that it gives, without
// parameters, "" if there is none.
func DataURI(uri string) (data []byte, mediaType string, err error) {
	r, size, err := openDataURI(uri)
	if err != nil {
		return nil, "", err
	}
	data = make([]byte, 0, size)
	for err == nil && len(data) < cap(data) {
		var n int
		n, err = r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
	}
	if err == nil {
		_, err = r.Read(make([]byte, 1)) // the end, or what is wrong there
	}
	if err != io.EOF {
		return nil, "", fmt.Errorf("data URI: %w", err)
	}
	return data, mediaTypeOf(uri), nil
}

// mediaTypeOf returns the media type of a data URI, without parameters.
func mediaTypeOf(uri string) string {
	head, _, _ := strings.Cut(uri[len("data:"):], ",")
	mediaType, _, _ := strings.Cut(head, ";")
	return mediaType
}

// dataURISize returns how many bytes a data URI decodes to, without keeping them.
func dataURISize(uri string) (int64, error) {
	r, _, err := openDataURI(uri)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil {
		return 0, fmt.Errorf("data URI: %w", err)
	}
	return n, nil
}

// openDataURI returns a reader of what a data URI holds, which is at most size bytes.
func openDataURI(uri string) (r io.Reader, size int, err error) {
	if !IsDataURI(uri) {
		return nil, 0, fmt.Errorf("%.40q is not a data URI", uri)
	}
	head, body, found := strings.Cut(uri, ",")
	if !found {
		return nil, 0, errors.New("data URI without a comma")
	}
	parameters := strings.Split(head, ";")[1:]
	for i, p := range parameters {
		if !strings.Contains(p, "=") && (i < len(parameters)-1 || !strings.EqualFold(p, "base64")) {
			return nil, 0, fmt.Errorf("data URI with the parameter %.40q, want name=value", p)
		}
	}
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		// Each escape stands for one byte.
		plain, err := unescape(body)
		if err != nil {
			return nil, 0, fmt.Errorf("data URI: %w", err)
		}
		return strings.NewReader(plain), len(plain), nil
	}
	encoding := base64.StdEncoding
	if !strings.HasSuffix(body, "=") && len(body)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	return base64.NewDecoder(encoding, strings.NewReader(body)), encoding.DecodedLen(len(body)), nil
}
