package vp8

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/vp8"
)

func decode(t *testing.T, frame []byte) *image.YCbCr {
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(frame), len(frame))
	if _, err := d.DecodeFrameHeader(); err != nil {
		t.Fatal(err)
	}
	m, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []int{1, 20, 256} {
	for _, q := range []int{1, 50, 90, 100} {
		w, h := 101, 77
		pix := make([]uint8, 4*w*h)
		for i := range w * h {
			pix[4*i] = uint8(i%w + r.IntN(noise))
			pix[4*i+1] = uint8(i/w + r.IntN(noise))
			pix[4*i+2] = uint8(i/w + i%w)
			pix[4*i+3] = 255
		}
		for effort := range 3 {
			filterFactor = 0
			frame, err := Encode(t.Context(), pix, w, h, Options{Quality: q, Effort: effort})
			if err != nil {
				t.Fatal(err)
			}
			m := decode(t, frame)
			var sum float64
			for y := range h {
				for x := range w {
					c := pix[4*(y*w+x):]
					want := (16839*int(c[0]) + 33059*int(c[1]) + 6420*int(c[2]) + 16<<16 + 1<<15) >> 16
					d := float64(want) - float64(m.Y[y*m.YStride+x])
					sum += d * d
				}
			}
			t.Log(noise, q, effort, len(frame), 10*math.Log10(255*255*float64(w*h)/sum))
		}
	}
	}
}
