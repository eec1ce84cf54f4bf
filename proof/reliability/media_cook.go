package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/bench/peers"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// A mediaFile is one file to cook.
type mediaFile struct {
	name string // how the file was made
	ext  string
	data []byte
	want mediaWant
}

// mediaWant is the expected result for a file that is known to be valid or known to be invalid.
type mediaWant int

const (
	wantAnything mediaWant = iota
	wantCooked
	wantRefused
)

type mediaCooker struct {
	recipe recipe.Recipe
	cooker recipe.Cooker
}

// mediaResult is the result for one file.
type mediaResult struct {
	err        error // error of Estimate or Cook
	overBudget bool  // may be valid, but needs more memory than the budget
	cooked     bool  // set if Cook was called
	panicked   any
	odd        error // error in the output

	took      time.Duration // CPU time for the file
	estimate  int64         // estimated memory in bytes; at least the size of the buffer for reading the file
	allocated int64         // total size of all allocations
	peak      int64         // maximum size of the live heap; measured only if allocated exceeds the estimate
}

// patience returns the time limit for the file.
func (r *mediaResult) patience() time.Duration {
	return mediaPatience + time.Duration(float64(r.estimate)/mediaShare*float64(mediaPatience))
}

// mediaBench cooks one file after another in its own directory.
type mediaBench struct {
	dir     string
	assets  *confine.Dir // the directory dir as a confined directory
	budget  int64
	cookers map[string]mediaCooker
	// Paths of programs that check shaders; "" if not installed.
	glslang, spirvVal string
	sound             bool         // set if the current file is undamaged
	begun             atomic.Int64 // start of the current file in Unix nanoseconds; 0 between files
}

// watchFor panics if a file takes much longer than the others, and leaves the file in the
// directory.
func (b *mediaBench) watchFor(most time.Duration) (stop func()) {
	quit := make(chan struct{})
	go func() {
		for {
			select {
			case <-quit:
				return
			case now := <-time.After(time.Second):
				if begun := b.begun.Load(); begun > 0 && now.UnixNano()-begun > int64(most) {
					debug.SetTraceback("all")
					panic(fmt.Sprintf("media: the file in %s has taken more than %v", b.dir, most))
				}
			}
		}
	}()
	return func() { close(quit) }
}

func (b *mediaBench) cookMediaFile(ctx context.Context, f mediaFile) (r mediaResult) {
	name := "a" + f.ext
	if err := os.WriteFile(filepath.Join(b.dir, name), f.data, 0o666); err != nil {
		return mediaResult{odd: err}
	}
	r = b.cookMediaOnce(ctx, f, name)
	if r.allocated > r.estimate+mediaSlack {
		// Not all of these bytes were live at the same time. Cook again with frequent collections,
		// and measure the live heap.
		defer debug.SetGCPercent(debug.SetGCPercent(5))
		runtime.GC()
		before := heapBytes()
		peak, stop := watchHeap()
		b.cookMediaOnce(ctx, f, name)
		stop()
		r.peak = peak.Load() - before
	}
	if r.took > r.patience() {
		// If the file caused the delay, and not the collection of earlier files' garbage, the delay
		// occurs again.
		r.took = min(r.took, b.cookMediaOnce(ctx, f, name).took)
	}
	return r
}

// cookMediaOnce admits and cooks a file as the execute stage of a run does.
func (b *mediaBench) cookMediaOnce(ctx context.Context, f mediaFile, name string) (r mediaResult) {
	c := b.cookers[f.ext]
	out := filepath.Join(b.dir, "out")
	defer os.Remove(out)
	begin, before := cpuTime(), allocatedBytes()
	b.begun.Store(time.Now().UnixNano())
	var job *recipe.Job
	defer func() {
		b.begun.Store(0)
		r.panicked = recover()
		r.took, r.allocated = cpuTime()-begin, allocatedBytes()-before
		if !r.cooked || r.err != nil || r.panicked != nil {
			return
		}
		switch c.recipe.Name {
		case "image":
			r.odd = checkTexture(out)
			if r.odd == nil {
				r.odd = checkPixels(ctx, b.dir, f, b.sound)
			}
		case "mesh":
			r.odd = checkModel(ctx, out, jobs.Warnings(job))
		case "shader":
			r.odd = b.checkShader(f.ext, out)
		}
	}()

	size := int64(len(f.data))
	r.estimate = 3*size + 1<<20
	if estimate := c.recipe.Traits(c.cooker).Estimate; estimate != nil {
		r.estimate, r.err = estimate(f.data[:min(size, recipe.HeadSize)], size)
		if errors.Is(r.err, recipe.ErrShortHead) {
			r.estimate, r.err = estimate(f.data, size)
		}
		if r.err != nil {
			r.estimate = size
			return r
		}
	}
	if r.estimate > b.budget {
		r.overBudget = true
		return r
	}
	job = jobs.New(c.recipe, jobs.Env{
		Path: name, Outputs: []string{out}, Assets: b.dir,
		Create:  func(int) (*os.File, error) { return os.Create(out) },
		Open:    func(p string) (fs.File, error) { return b.assets.OpenFile(p) },
		Stat:    b.assets.Stat,
		Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, false, nil },
		Scratch: func() (string, error) { return "", errors.New("no scratch directory") },
	}, size)
	r.cooked = true
	r.err = c.cooker.Cook(ctx, job)
	return r
}

// checkTexture checks that a cooked texture can be read.
func checkTexture(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t, err := ktx2.Read(data, int64(len(data)))
	if err != nil {
		return err
	}
	if len(t.Levels) != texture.MaxLevels(t.W, t.H) {
		return fmt.Errorf("texture of %d x %d pixels has %d levels", t.W, t.H, len(t.Levels))
	}
	return nil
}

func allocatedBytes() int64 { return readMetric("/gc/heap/allocs:bytes") }

// heapBytes returns the size of the live heap as of the last collection.
func heapBytes() int64 { return readMetric("/gc/heap/live:bytes") }

func readMetric(name string) int64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// watchHeap polls the size of the live heap until it is stopped. It is useful only if collections
// are frequent.
func watchHeap() (peak *atomic.Int64, stop func()) {
	peak = new(atomic.Int64)
	quit, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			peak.Store(max(peak.Load(), heapBytes()))
			select {
			case <-quit:
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	}()
	return peak, func() { close(quit); <-over }
}

// leastLikeness is the minimum PSNR, in dB, of an undamaged file's pixels compared with the
// reference decoder's pixels. Damaged files are not compared: decoders clip huge values in
// different ways.
const leastLikeness = 45

// checkPixels compares an accepted file with the output of the reference decoder, if there is one.
// There must be a warning if the reference decoder reports damage, and the pixels must be similar.
func checkPixels(ctx context.Context, dir string, f mediaFile, sound bool) error {
	if !peers.Knows(f.ext) {
		return nil
	}
	m, info, err := source.Decode(ctx, f.data, f.ext, 1<<14)
	if err != nil {
		return fmt.Errorf("cooked, but decoding fails: %w", err)
	}
	scratch, err := os.MkdirTemp(dir, "peer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	pnm, said, err := peers.Decode(ctx, scratch, f.ext, f.data)
	if err != nil {
		return err
	}
	damaged := strings.Contains(said, "Corrupt JPEG data") || strings.Contains(said, "Premature end")
	switch {
	case damaged && len(info.Notes) == 0:
		return fmt.Errorf("accepted without a warning, but the reference decoder reports: %.200q", said)
	case said != "" || info.Orientation > 1 || len(pnm) == 0 || !sound:
		return nil // djpeg is stricter than our decoder, or ignores the orientation
	case bytes.Contains(f.data, []byte("\x03R\"\x00G\x11\x00B\x11\x00")):
		return nil // image/jpeg returns replicated RGB samples
	}
	dB, err := peers.PSNR(m, pnm)
	if err == nil && dB < leastLikeness {
		err = fmt.Errorf("PSNR of %.1f dB to the output of the reference decoder", dB)
	}
	return err
}
