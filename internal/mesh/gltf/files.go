package gltf

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// A Job opens the files that a document refers to and records them as dependencies.
type Job interface {
	OpenDep(name string) (fs.File, error)
	Exists(name string) (bool, error)
	Warn(format string, args ...any)
}

// OpenFile opens a regular file and returns its size. The file becomes a dependency of the job.
func OpenFile(job Job, name string) (f fs.File, size int64, err error) {
	if f, err = job.OpenDep(name); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", info.Name())
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// SizeIn returns a function for Check that returns the size of a file. The file becomes a
// dependency of the job.
func SizeIn(job Job) func(name string) (int64, error) {
	return func(name string) (int64, error) {
		f, size, err := OpenFile(job, name)
		if err != nil {
			return 0, err
		}
		return size, f.Close()
	}
}

// WarnOfImages warns about image files that do not exist or cannot be accessed. The existence of
// each file becomes a dependency of the job.
func (d *Document) WarnOfImages(job Job) error {
	const shown = 3
	var missing []string
	var fault error // first error from checking an image file
	seen, gone, faults := map[string]bool{}, 0, 0
	for i := range d.Images {
		if d.Images[i].URI == nil || IsDataURI(*d.Images[i].URI) {
			continue
		}
		name, err := FileOfURI(*d.Images[i].URI)
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		switch there, err := job.Exists(name); {
		case err != nil:
			if faults++; fault == nil {
				fault = fmt.Errorf("image %d: %w", i, err)
			}
		case !there:
			if gone++; gone <= shown {
				missing = append(missing, showURI(name))
			}
		}
	}
	switch {
	case faults == 1:
		job.Warn("%v; the model names the file anyway", fault)
	case faults > 1:
		job.Warn("%v, and %d more; the model names these files anyway", fault, faults-1)
	}
	switch list := strings.Join(missing, ", "); {
	case gone == 1:
		job.Warn("image %s does not exist; the model names it anyway", list)
	case gone > shown:
		job.Warn("%d images do not exist: %s and %d more; the model names them anyway", gone, list, gone-shown)
	case gone > 1:
		job.Warn("%d images do not exist: %s; the model names them anyway", gone, list)
	}
	return nil
}

// ExternalFiles returns the file of each buffer or image, or "" if it has none or its URI is
// invalid.
func ExternalFiles(elements []Object) []string {
	names := make([]string, len(elements))
	for i, o := range elements {
		var uri *string
		if json.Unmarshal(o.Member("uri"), &uri) != nil || uri == nil || IsDataURI(*uri) {
			continue
		}
		if name, err := FileOfURI(*uri); err == nil {
			names[i] = name
		}
	}
	return names
}

// DataURI returns the data of a data URI, and its media type without parameters. The media type is
// "" if the URI has none.
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
		_, err = r.Read(make([]byte, 1)) // read the next byte, to find an encoding error
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

// dataURISize returns the number of bytes that a data URI decodes to, without keeping them.
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

// openDataURI returns a reader for the decoded data of a data URI, and an upper bound on the number
// of decoded bytes.
func openDataURI(uri string) (r io.Reader, size int, err error) {
	if !IsDataURI(uri) {
		return nil, 0, fmt.Errorf("%.40q is not a data URI", uri)
	}
	head, body, found := strings.Cut(uri, ",")
	if !found {
		return nil, 0, errors.New("the data URI has no comma")
	}
	parameters := strings.Split(head, ";")[1:]
	for i, p := range parameters {
		if !strings.Contains(p, "=") && (i < len(parameters)-1 || !strings.EqualFold(p, "base64")) {
			return nil, 0, fmt.Errorf("the data URI has the parameter %.40q, want name=value", p)
		}
	}
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		// Each escape encodes one byte.
		plain, err := decodePercent(body)
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

// FileOfURI returns the file that a relative URI refers to, cleaned and relative to the document's
// directory.
func FileOfURI(uri string) (string, error) {
	switch {
	case uri == "":
		return "", errors.New("uri is empty")
	case hasScheme(uri):
		return "", fmt.Errorf("%s is not a file; copy the file into the asset directory and name the copy", showURI(uri))
	case strings.Contains(strings.SplitN(uri, "/", 2)[0], ":"):
		return "", fmt.Errorf("%s is not a relative URI; in a file name, write %%3A for a colon", showURI(uri))
	case uri[0] == '/':
		return "", fmt.Errorf("%s is absolute, want a path relative to the document", showURI(uri))
	case strings.ContainsAny(uri, "?#"):
		return "", fmt.Errorf("%s has a query or fragment; in a file name write %%3F for ? and %%23 for #", showURI(uri))
	}
	name, err := decodePercent(uri)
	if err != nil {
		return "", fmt.Errorf("%s: %w; in a file name write %%25 for %%", showURI(uri), err)
	}
	// path.Clean makes all spellings of a URI give the same file name. The prefix prevents an
	// escaped leading slash from referring to the root of the asset tree.
	return path.Clean("./" + name), nil
}

// decodePercent decodes percent-encoded bytes (RFC 3986 section 2.1). net/url can also decode them,
// but it initializes tables at every start of the program.
func decodePercent(text string) (string, error) {
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

// hasScheme reports whether a URI starts with a scheme (RFC 3986, section 3.1). A drive letter such
// as "C:" counts as a scheme.
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

// IsDataURI reports whether a URI contains the data itself (RFC 2397).
func IsDataURI(uri string) bool {
	return len(uri) >= 5 && strings.EqualFold(uri[:5], "data:")
}

// showURI quotes a URI for a message, shortened because data URIs may be very long.
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
