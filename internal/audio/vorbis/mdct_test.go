package vorbis

import (
	"math"
	"testing"
)

func TestTransform(t *testing.T) {
	for _, m := range []int{32, 64, 1024, 4096} {
		spectrum := make([]float32, m)
		for i := range spectrum {
			spectrum[i] = float32(i*7919%256)/128 - 1
		}
		left, right := make([]float64, m), make([]float64, m)
		newTransform(m).inverse(spectrum, left, right)
		for n := 0; n < 2*m; n += 1 + m/100 {
			want := 0.0
			for k, x := range spectrum {
				phase := (2*n + 1 + m) * (2*k + 1) % (8 * m) // of pi/4m
				want += float64(x) * math.Cos(math.Pi/float64(4*m)*float64(phase))
			}
			got := append(left[:m:m], right...)[n]
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%d lines, sample %d: %v, want %v", m, n, got, want)
			}
		}
	}
}
