package gltf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// NoChunk is the chunk size to pass to Check for a document outside of a GLB file.
const NoChunk = -1

// Check returns the first few faults of the document as an error of one line. chunk is the size of
// the GLB file's binary chunk, which is the first buffer if that buffer has no URI. size returns
// the size of a buffer's file; Check calls it once for each file. If ctx is canceled, Check returns
// its error.
func (d *Document) Check(ctx context.Context, chunk int64, size func(name string) (int64, error)) error {
	c := check{doc: d, chunk: chunk, size: size}
	if err := c.checkBuffers(ctx); err != nil {
		return err
	}
	c.checkStructure()
	d.Mended = append(d.Mended, c.mended...)
	return c.faults.faultsError()
}

// faults counts faults and keeps the first few messages.
type faults struct {
	first []string
	more  int
}

const maxFaults = 3

func (f *faults) addFault(format string, args ...any) {
	if f.isFullOfFaults() {
		f.more++
		return
	}
	f.first = append(f.first, fmt.Sprintf(format, args...))
}

// isFullOfFaults reports whether enough messages are kept, so that further faults are only counted.
func (f *faults) isFullOfFaults() bool { return len(f.first) == maxFaults }

// faultsError returns an error of one line, or nil if there are no faults.
func (f *faults) faultsError() error {
	if len(f.first) == 0 {
		return nil
	}
	line := strings.Join(f.first, "; ")
	if f.more > 0 {
		line += fmt.Sprintf("; and %d more", f.more)
	}
	return errors.New(line)
}

// check is the state of checking one document.
type check struct {
	doc       *Document
	chunk     int64                            // size of the GLB file's binary chunk, or NoChunk
	size      func(name string) (int64, error) // returns the size of a file that the document refers to
	faults    faults
	mended    []Mend
	usages    []usage // use of each accessor
	states    []viewState
	unbounded map[int32]bool // accessors that lack the required min and max
	parent    []int32        // parent of each node; -1 for roots. It is nil if there is a cycle
}

// checkBuffers checks that each buffer has at least the bytes that it declares. It returns an error
// only if the context is canceled.
func (c *check) checkBuffers(ctx context.Context) error {
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
				c.faults.addFault("buffer 0: the binary chunk holds %d bytes, but byteLength is %d", c.chunk, b.ByteLength)
			}
			continue
		}
		if b.URI == nil {
			continue // an extension or the loading program provides the bytes
		}
		have, err := c.bufferSize(*b.URI, files)
		if err != nil {
			c.faults.addFault("buffer %d: %v", i, err)
		} else if have < b.ByteLength {
			c.faults.addFault("buffer %d: %s holds %d bytes, but byteLength is %d", i, showURI(*b.URI), have, b.ByteLength)
		}
		if IsDataURI(*b.URI) && !isBufferType(mediaTypeOf(*b.URI)) {
			c.noteMend("the data URI of a buffer has a media type other than application/octet-stream or application/gltf-buffer", "read anyway", "buffer", i)
		}
	}
	return nil
}

func isBufferType(mediaType string) bool {
	return strings.EqualFold(mediaType, "application/octet-stream") || strings.EqualFold(mediaType, "application/gltf-buffer")
}

// sizeOrError is the size of a file, or the error of measuring it. A file is measured once even if
// several buffers refer to it.
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

// checkStructure checks all members of the document.
func (c *check) checkStructure() {
	c.checkAsset()
	c.checkViews()
	c.checkCompressed()
	c.checkStrides()
	c.checkAccessors()
	c.checkMeshes()
	c.checkMaterials()
	c.checkImages()
	c.checkCameras()
	c.checkLights()
	c.checkNodeTrees()
	c.checkSkins()
	c.checkAnimations()
}

func (c *check) checkAsset() {
	switch a := c.doc.Asset; {
	case a == nil || a.Version == "":
		c.faults.addFault("asset.version is missing")
	case !isVersion2(a.Version):
		c.faults.addFault("asset.version is %.20q, want 2.x", a.Version)
	case a.MinVersion != "" && !isVersion2(a.MinVersion):
		c.faults.addFault("asset.minVersion is %.20q, want 2.x", a.MinVersion)
	case a.MinVersion != "" && minor(a.MinVersion) > minor(a.Version):
		c.faults.addFault("asset.minVersion is %.20q, above the version %.20q", a.MinVersion, a.Version)
	}
}

// minor returns the minor version of a version such as "2.1". It returns the largest int if the
// number is too large.
func minor(version string) int {
	n, _ := strconv.Atoi(version[2:])
	return n
}

func isVersion2(s string) bool {
	minor, ok := strings.CutPrefix(s, "2.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}

func (c *check) checkMaterials() {
	for i := range c.doc.Materials {
		m := &c.doc.Materials[i]
		if m.PBR != nil {
			c.checkTextureInfo(m.PBR.BaseColor, "material %d baseColorTexture", i)
			c.checkTextureInfo(m.PBR.MetallicRoughness, "material %d metallicRoughnessTexture", i)
		}
		c.checkTextureInfo(m.Normal, "material %d normalTexture", i)
		c.checkTextureInfo(m.Occlusion, "material %d occlusionTexture", i)
		c.checkTextureInfo(m.Emissive, "material %d emissiveTexture", i)
	}
	for i, t := range c.doc.Textures {
		c.checkOptionalIndex(t.Sampler, len(c.doc.Samplers), "sampler", "texture %d", i)
		c.checkOptionalIndex(t.Source, len(c.doc.Images), "image", "texture %d", i)
	}
}

func (c *check) checkCameras() {
	for i := range c.doc.Cameras {
		switch o, p := c.doc.Cameras[i].Orthographic, c.doc.Cameras[i].Perspective; {
		case (o == nil) == (p == nil):
			c.faults.addFault("camera %d: want exactly one of perspective and orthographic", i)
		case p != nil && p.ZFar != nil && *p.ZFar <= p.ZNear:
			c.faults.addFault("camera %d: zfar is %g, not above znear, %g", i, *p.ZFar, p.ZNear)
		case o != nil && o.ZFar <= o.ZNear:
			c.faults.addFault("camera %d: zfar is %g, not above znear, %g", i, o.ZFar, o.ZNear)
		case o != nil && (o.XMag == 0 || o.YMag == 0):
			c.faults.addFault("camera %d: xmag and ymag must not be 0", i)
		}
	}
}

func (c *check) checkLights() {
	for i, l := range c.doc.Extensions.Lights.Lights {
		if l.Type != "spot" {
			continue
		}
		outer := math.Pi / 4 // glTF's default
		switch {
		case l.Spot == nil:
			c.faults.addFault("light %d: a spot light needs a spot object", i)
			continue
		case l.Spot.Outer != nil:
			outer = *l.Spot.Outer
		}
		if outer <= l.Spot.Inner {
			c.faults.addFault("light %d: outerConeAngle is %g, not above innerConeAngle, %g", i, outer, l.Spot.Inner)
		}
	}
}

func (c *check) checkTextureInfo(info *TextureInfo, where string, i int) {
	if info != nil {
		c.checkRequiredIndex(info.Index, len(c.doc.Textures), "texture", where, i)
	}
}

// checkOptionalIndex reports whether an index is present and in range. If it is out of range,
// checkOptionalIndex records a fault. where and numbers describe the location, and are formatted
// only then.
func (c *check) checkOptionalIndex(index *int32, n int, kind, where string, numbers ...int) bool {
	if index == nil {
		return false
	}
	if *index >= 0 && int(*index) < n {
		return true
	}
	c.noteMissing(kind, *index, n, placeName(where, numbers))
	return false
}

// checkRequiredIndex is like checkOptionalIndex, but a missing index is a fault.
func (c *check) checkRequiredIndex(index *int32, n int, kind, where string, numbers ...int) bool {
	if index == nil {
		c.faults.addFault("%s: the index of the %s is missing", placeName(where, numbers), kind)
		return false
	}
	return c.checkOptionalIndex(index, n, kind, where, numbers...)
}

func (c *check) noteMissing(kind string, index int32, n int, where string) {
	c.faults.addFault("%s: there is no %s %d; the document has %d", where, kind, index, n)
}

func placeName(where string, numbers []int) string {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return fmt.Sprintf(where, args...)
}
