package gltf

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// A Job opens the files that a document names and records them as dependencies.
type Job interface {
	OpenDep(name string) (fs.File, error)
	Exists(name string) (bool, error)
	Warn(format string, args ...any)
}

// OpenFile opens a regular file as a dependency of a job and returns its size.
func OpenFile(job Job, name string) (f fs.File, size int64, err error) {
	if f, err = job.OpenDep(name); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", info.Name())
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// SizeIn returns a size function for Check that records each file as a dependency.
func SizeIn(job Job) func(name string) (int64, error) {
	return func(name string) (int64, error) {
		f, size, err := OpenFile(job, name)
		if err != nil {
			return 0, err
		}
		return size, f.Close()
	}
}

// WarnOfImages warns of image files that do not exist or cannot be looked for. The
// existence of each file becomes a dependency of the job.
func (d *Document) WarnOfImages(job Job) error {
	const shown = 3
	var missing []string
	var fault error // the first one in looking for an image
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
		job.Warn("%v; it is named all the same", fault)
	case faults > 1:
		job.Warn("%v, and %d more; they are named all the same", fault, faults-1)
	}
	switch list := strings.Join(missing, ", "); {
	case gone == 1:
		job.Warn("image %s does not exist; it is named all the same", list)
	case gone > shown:
		job.Warn("%d images do not exist: %s and %d more; they are named all the same", gone, list, gone-shown)
	case gone > 1:
		job.Warn("%d images do not exist: %s; they are named all the same", gone, list)
	}
	return nil
}

// ExternalFiles returns the file of each buffer or image, "" for one without a file or whose URI
// is invalid.
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
