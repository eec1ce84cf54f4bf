package gltfcheck

import (
	"fmt"
	"io/fs"
	"strings"
)

// A Job reads files beside a model, as recipe.Job does.
type Job interface {
	OpenDep(name string) (fs.File, error)
	Exists(name string) (bool, error)
	Warn(format string, args ...any)
}

// OpenFile opens a dependency of a job that must be a file, and returns its size.
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

// SizeIn returns what Check asks the sizes of files, for the dependencies of a job.
func SizeIn(job Job) func(name string) (int64, error) {
	return func(name string) (int64, error) {
		f, size, err := OpenFile(job, name)
		if err != nil {
			return 0, err
		}
		return size, f.Close()
	}
}

// WarnOfImages has a job warn of the images of a document whose files do not exist, or
// cannot be looked for. That they do, or not, becomes a dependency.
func WarnOfImages(job Job, d *Document) error {
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
