package meshopt

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Files by the npm package meshoptimizer 1.3.0 decode as by its own decoder: both versions
// of attributes, all modes, all filters. The specification allows filters to be off by one
// in whole numbers.
func TestPeer(t *testing.T) {
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var views []struct {
		Name, Mode, Filter string
		Count, Stride      int
		Packed, Plain      []byte
	}
	if err := json.Unmarshal(text, &views); err != nil || len(views) < 20 {
		t.Fatalf("%d views, %v", len(views), err)
	}
	for _, v := range views {
		l := Layout{Count: v.Count, Stride: v.Stride}
		if l.Mode, err = ParseMode(v.Mode); err != nil {
			t.Fatal(err)
		}
		if l.Filter, err = ParseFilter(v.Filter); err != nil {
			t.Fatal(err)
		}
		have, err := Decode(t.Context(), v.Packed, l)
		if err != nil || len(have) != len(v.Plain) {
			t.Errorf("%s: %d bytes, %v", v.Name, len(have), err)
			continue
		}
		if l.Filter != Octahedral && l.Filter != Quaternion && l.Filter != Color {
			if !bytes.Equal(have, v.Plain) {
				t.Errorf("%s: other bytes", v.Name)
			}
			continue
		}
		for at := 0; at < len(have); at += v.Stride {
			a, b := components(have[at:][:v.Stride]), components(v.Plain[at:][:v.Stride])
			for k := range a {
				if off := a[k] - b[k]; off > 1 || off < -1 {
					t.Errorf("%s: element %d is %v, want %v", v.Name, at/v.Stride, a, b)
				}
			}
		}
	}
}
