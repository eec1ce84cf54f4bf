package main

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/audio"
	"github.com/hajimehoshi/ebiten/v2/audio/wav"

	"github.com/assetcook/assetcook/cook/reload"
)

const sampleRate = 48000

// assets has the loaded files of an output directory, by path. A goroutine watches the directory.
// Only reload, which the game calls, changes the files.
type assets struct {
	files   fs.FS
	context *audio.Context
	images  map[string]*ebiten.Image
	sounds  map[string][]byte // sound samples by name
	changed chan reload.Batch
	faults  chan error
	fault   error // error of the last reload
	loaded  int   // number of reloaded files
}

// follow watches an output directory for changed files.
func follow(ctx context.Context, out string) *assets {
	a := &assets{
		files: os.DirFS(out), context: audio.NewContext(sampleRate),
		images: map[string]*ebiten.Image{}, sounds: map[string][]byte{},
		changed: make(chan reload.Batch, 16), faults: make(chan error, 1),
	}
	go func() {
		for batch, err := range reload.Follow(ctx, out) {
			if err != nil {
				select {
				case a.faults <- err:
				default: // another error is already pending
				}
				continue
			}
			a.changed <- batch
		}
	}()
	return a
}

// load loads files for the first time.
func (a *assets) load(names ...string) error {
	for _, name := range names {
		if err := a.read(name); err != nil {
			return err
		}
	}
	return nil
}

// reload loads the changed files that the game uses. After an error, a file keeps its old content.
func (a *assets) reload() {
	for {
		select {
		case err := <-a.faults:
			a.fault = err
		case batch := <-a.changed:
			a.fault = nil
			for _, c := range batch.Changes {
				if c.Removed || a.images[c.Path] == nil && a.sounds[c.Path] == nil {
					continue
				}
				if err := a.read(c.Path); err != nil {
					a.fault = err
					continue
				}
				a.loaded++
			}
		default:
			return
		}
	}
}

// read loads a file in the format of its extension.
func (a *assets) read(name string) error {
	data, err := fs.ReadFile(a.files, name)
	if err != nil {
		return err
	}
	if path.Ext(name) == ".wav" {
		stream, err := wav.DecodeWithSampleRate(sampleRate, bytes.NewReader(data))
		if err != nil {
			return err
		}
		samples, err := io.ReadAll(stream)
		if err != nil {
			return err
		}
		a.sounds[name] = samples
		return nil
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	a.images[name] = ebiten.NewImageFromImage(m)
	return nil
}

func (a *assets) play(name string) { a.context.NewPlayerFromBytes(a.sounds[name]).Play() }
