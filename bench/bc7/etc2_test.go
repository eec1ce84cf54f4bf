//go:build amd64 || arm64

package main

import "testing"

func TestETC(t *testing.T) {
	for _, name := range []string{"etc2rgb", "etc2rgba", "eacr11"} {
		f, ok := parseETC(name)
		if !ok {
			t.Fatalf("unknown format %s", name)
		}
		pictures := f.stored([]picture{slope(99)})
		if pictures[0].alpha != (name == "etc2rgba") {
			t.Errorf("%s: alpha %v", name, pictures[0].alpha)
		}
		for _, c := range ofETC(f, "", "", true) {
			blocks, seconds, err := c.run(t.Context(), pictures)
			if err != nil || len(seconds) != 1 {
				t.Fatalf("%s, %s: %d times, %v", name, c.name, len(seconds), err)
			}
			r, err := judge(pictures[0], blocks[0], c.decode)
			if err != nil || r.psnr < 40 || r.leaks {
				t.Errorf("%s, %s: %+v, %v", name, c.name, r, err)
			}
		}
	}
	if _, ok := parseETC("bc7"); ok {
		t.Error("bc7 is not ETC")
	}
}
