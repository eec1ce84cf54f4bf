package inspect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSoundAndFontScripts uses node to run the modules for sounds and fonts that need no browser.
// It compares the peaks of sound-wave.js with the results of peaksOf.
func TestSoundAndFontScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node to run the page's modules")
	}
	type waves struct {
		Channels int       `json:"channels"`
		Samples  []float32 `json:"samples"` // samples of all channels, interleaved
		Columns  int       `json:"columns"`
		Peaks    []float32 `json:"peaks"`
	}
	var sounds []waves
	for _, shape := range [][2]int{{1, 1}, {2, 4095}, {1, 4096}, {3, 4097}, {2, 10000}} {
		c := tone(8000, shape[0], shape[1])
		columns := min(4096, c.Frames())
		peaks, err := peaksOf(t.Context(), c, columns)
		if err != nil {
			t.Fatal(err)
		}
		s := waves{c.Channels, c.Samples, columns, nil}
		for ; len(peaks) > 0; peaks = peaks[4:] {
			s.Peaks = append(s.Peaks, math.Float32frombits(binary.LittleEndian.Uint32(peaks)))
		}
		sounds = append(sounds, s)
	}
	input, err := json.Marshal(sounds)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("tab")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sound_test.mjs", "font_test.mjs"} {
		script, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, name)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
