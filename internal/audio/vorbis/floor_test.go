package vorbis

import (
	"math"
	"testing"
)

// TestFloorGains compares some gains with the table of section 10.1.
func TestFloorGains(t *testing.T) {
	for i, want := range map[int]float64{
		0: 1.0649863e-07, 1: 1.1341951e-07, 2: 1.2079015e-07, 253: 0.88168307, 254: 0.9389798, 255: 1,
	} {
		if got := float64(floorGains()[i]); math.Abs(got/want-1) > 1e-7 {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}

// TestFloor0 compares floors of type 0 with the formula of section 6.2.3.
func TestFloor0(t *testing.T) {
	for _, order := range []int{1, 2, 7, 8} {
		f := &floor0{order: order, bits: 6, offset: 100, places: 40}
		for size, n := range []int{64, 512} {
			for i := range n {
				f.placesOf[size] = append(f.placesOf[size], i*40/n)
			}
		}
		c := &curve{amplitude: 37}
		var angles []float64
		for i := range order {
			angles = append(angles, math.Pi*(float64(i)+0.7)/float64(order+1))
			c.cosines = append(c.cosines, math.Cos(angles[i]))
		}
		spectrum := make([]float32, 512)
		for i := range spectrum {
			spectrum[i] = 1
		}
		f.applyCurve(c, spectrum)
		for i, got := range spectrum {
			w := math.Pi * float64(i*40/512) / 40
			p, q := (1-math.Cos(w))/2, (1+math.Cos(w))/2
			if order%2 == 1 {
				p, q = math.Sin(w)*math.Sin(w), 0.25
			}
			for j, a := range angles {
				v := 4 * (math.Cos(a) - math.Cos(w)) * (math.Cos(a) - math.Cos(w))
				if j%2 == 1 {
					p *= v
				} else {
					q *= v
				}
			}
			want := math.Exp(0.11512925 * (37*100/(63*math.Sqrt(p+q)) - 100))
			if math.Abs(float64(got)/want-1) > 1e-5 {
				t.Errorf("order %d, line %d: %v, want %v", order, i, got, want)
				break
			}
		}
	}
}

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
				phase := (2*n + 1 + m) * (2*k + 1) % (8 * m) // phase in units of pi/4m
				want += float64(x) * math.Cos(math.Pi/float64(4*m)*float64(phase))
			}
			got := append(left[:m:m], right...)[n]
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%d lines, sample %d: %v, want %v", m, n, got, want)
			}
		}
	}
}
