package source

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// sounds returns an intact file of each kind that Verify checks.
func sounds(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"../vorbis/testdata/*.ogg", "../mp3/testdata/*.mp3"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) < 3 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = data
		}
	}
	var out bytes.Buffer
	clip := &pcm.Clip{Rate: opus.Rate, Channels: 1, Samples: make([]float32, 10*opus.Rate)}
	for i := range clip.Samples {
		clip.Samples[i] = float32(i%97) / 100
	}
	if err := opus.Encode(t.Context(), &out, clip, opus.Options{}); err != nil {
		t.Fatal(err)
	}
	files["a.opus"] = out.Bytes()
	return files
}

func verify(data []byte) string { return Verify(bytes.NewReader(data), int64(len(data))) }

func TestWholeSoundsAreNotDamaged(t *testing.T) {
	for name, data := range sounds(t) {
		if line := verify(data); line != "" {
			t.Errorf("%s: %s", name, line)
		}
	}
	for _, other := range []string{"", "RIFF", "text", "OggS", "\xff\xfb"} {
		verify([]byte(other)) // Verify must not panic
	}
}

var brokenOff = regexp.MustCompile(`^the sound can be read only up to \d+\.\d s: .+; copy or export the file again$`)

// TestDamagedSoundsBreakOff truncates Ogg files and changes bytes. It expects Verify to report the
// second where the sound breaks off, unless the file was cut between two pages.
func TestDamagedSoundsBreakOff(t *testing.T) {
	files := sounds(t)
	for name, data := range files {
		if filepath.Ext(name) == ".mp3" {
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			cut := rapid.IntRange(200, len(data)-1).Draw(t, "cut")
			if line := verify(data[:cut]); !brokenOff.MatchString(line) && !endsPage(data, cut) {
				t.Fatalf("%s, %d of %d bytes: %q", name, cut, len(data), line)
			}
			changed := bytes.Clone(data)
			changed[cut] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
			if line := verify(changed); !brokenOff.MatchString(line) {
				t.Fatalf("%s, byte %d of %d: %q", name, cut, len(data), line)
			}
		})
	}
	// The Opus file lasts ten seconds and has a nearly constant bit rate.
	half := files["a.opus"][:len(files["a.opus"])/2]
	if line := verify(half); !regexp.MustCompile(`up to (4|5)\.\d s: the file is cut off within an Ogg page`).MatchString(line) {
		t.Error(line)
	}
}

// endsPage reports whether a page ends at the given offset.
func endsPage(data []byte, at int) bool { return bytes.HasPrefix(data[at:], []byte("OggS")) }

func TestDamagedMP3BreaksOff(t *testing.T) {
	data := sounds(t)["stereo.mp3"]
	half := len(data) / 2
	hole := append(bytes.Clone(data[:half]), make([]byte, 5000)...)
	hole = append(hole, data[half:]...)
	if line := verify(hole); !brokenOff.MatchString(line) {
		t.Errorf("a hole: %q", line)
	}
	tag := append([]byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f"), data...)
	if line := verify(tag); !brokenOff.MatchString(line) {
		t.Errorf("a tag that is cut off: %q", line)
	}
	// The Xing header of this file contains the number of frames.
	at := bytes.Index(data, []byte("Xing"))
	if at < 0 {
		at = bytes.Index(data, []byte("Info"))
	}
	if at < 0 || binary.BigEndian.Uint32(data[at+8:]) < 4 {
		t.Fatal("the sample has no describing header")
	}
	if line := verify(data[:half]); !brokenOff.MatchString(line) {
		t.Errorf("half of the file: %q", line)
	}
}
