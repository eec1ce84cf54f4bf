package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// mediaSounds returns complete sounds, which the recipe must cook with default options.
func mediaSounds(largest int64) ([]mediaFile, error) {
	made, err := madeSounds()
	if err != nil {
		return nil, err
	}
	read, err := testSounds(largest)
	list := append(made, read...)
	for i := range list {
		list[i].want = wantCooked
	}
	return list, err
}

// mediaPieces returns truncated files in formats that store the length; a recipe must reject them.
func mediaPieces(r *rand.Rand, whole []mediaFile) []mediaFile {
	var list []mediaFile
	for _, f := range whole {
		for i := 0; i < 8 && f.want == wantCooked && tellsLength(f); i++ {
			n := r.IntN(len(f.data))
			if bytes.HasPrefix(f.data[n:], []byte("smpl")) {
				continue // only loops are missing, which causes only a warning
			}
			list = append(list, mediaFile{fmt.Sprintf("%s, %d of %d bytes", f.name, n, len(f.data)), f.ext, f.data[:n], wantRefused})
		}
	}
	return list
}

// madeSounds returns WAV files in each encoding, with up to eight channels and with loops.
func madeSounds() ([]mediaFile, error) {
	var list []mediaFile
	for _, coding := range []wav.Coding{wav.PCM8, wav.PCM16, wav.PCM24, wav.PCM32, wav.Float32, wav.IMA} {
		for channels := 1; channels <= 8; channels++ {
			if coding == wav.IMA && channels > wav.MaxIMAChannels {
				break
			}
			clip := &pcm.Clip{Rate: 8000, Channels: channels, Loops: []pcm.Loop{{Start: 10, End: 90}}}
			for i := range 100 * channels {
				clip.Samples = append(clip.Samples, float32(i*i%199)/199-0.5)
			}
			var b bytes.Buffer
			if err := wav.Encode(context.Background(), &b, clip, wav.Options{Coding: coding}); err != nil {
				return nil, err
			}
			list = append(list, mediaFile{name: fmt.Sprintf("made %v of %d channels", coding, channels), ext: ".wav", data: b.Bytes()})
		}
	}
	return list, nil
}

// testSounds returns the test data of our sound decoders.
func testSounds(largest int64) ([]mediaFile, error) {
	root := askGo("list", "-m", "-f", "{{.Dir}}", "github.com/assetcook/assetcook")
	names, err := filepath.Glob(filepath.Join(root, "internal/audio/*/testdata/*"))
	if err != nil {
		return nil, err
	}
	var list []mediaFile
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.IsDir() || info.Size() > largest {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		switch ext := filepath.Ext(name); ext {
		case ".wav", ".flac", ".mp3", ".ogg":
			list = append(list, mediaFile{name: filepath.Base(name), ext: ext, data: data})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no sounds below %s/internal/audio", root)
	}
	return list, nil
}

// fixPages corrects the checksum of each page in an Ogg file.
func fixPages(data []byte) {
	crc := crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Width: 32, Poly: 0x04c11db7})
	for at := 0; ; {
		_, next, err := ogg.ReadPage(data, at)
		if err != nil {
			return
		}
		page := data[at:next]
		binary.LittleEndian.PutUint32(page[22:], 0)
		binary.LittleEndian.PutUint32(page[22:], crc.Checksum(page))
		at = next
	}
}

// tellsLength reports whether a sound stores its length, so that truncation can be detected. A
// writer that cannot seek back does not store it.
func tellsLength(f mediaFile) bool {
	return (f.ext == ".wav" || f.ext == ".flac") && !strings.Contains(f.name, "pipe")
}
