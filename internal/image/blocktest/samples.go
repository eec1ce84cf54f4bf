package blocktest

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// Side is the width and height of a sample, in pixels.
const Side = 48

// Samples returns small RGBA images with typical content, by name.
func Samples() map[string][]byte {
	random := rand.New(rand.NewPCG(2, 3))
	noise := func(n int) int { return random.IntN(2*n+1) - n }
	return map[string][]byte{
		"gradient": paint(func(x, y int) [4]int { return [4]int{x * 4, 255 - y*3, 40 + x + y, 255} }),
		"noise": paint(func(x, y int) [4]int {
			return [4]int{random.IntN(256), random.IntN(256), random.IntN(256), 255}
		}),
		"stone": paint(func(x, y int) [4]int {
			v := 90 + 40*((x/5+y/7)%3) + noise(20)
			return [4]int{v, v - 10 + noise(4), v - 25 + noise(4), 255}
		}),
		"normal map": paint(func(x, y int) [4]int {
			dx, dy := (x*13%29)-14, (y*7%31)-15
			return [4]int{128 + 5*dx + noise(6), 128 + 5*dy + noise(6), 250 - (dx*dx+dy*dy)/4, 255}
		}),
		"letters": paint(func(x, y int) [4]int {
			switch v := (x*x/9 + y*3) % 11; {
			case v < 4:
				return [4]int{220, 30 + x, 40, 255}
			case v == 4 && x > 20:
				return [4]int{255, 255, 255, 255}
			}
			return [4]int{20, 40, 200 - y, 255}
		}),
		"leaves": paint(func(x, y int) [4]int {
			if (x*y/13+x/3)%7 < 3 {
				return [4]int{random.IntN(256), 255, 0, 0}
			}
			return [4]int{60 + noise(30), 120 + noise(40), 30 + noise(20), 160 + 10*(x%10)}
		}),
		"icon": paint(func(x, y int) [4]int {
			edge := 64 * max(0, min((x*3+y*2)%50-24, 4))
			return [4]int{edge * 200 / 256, edge * 160 / 256, edge * 20 / 256, edge}
		}),
		"glow":  paint(func(x, y int) [4]int { return [4]int{255, 255, 255, 250 - (x*x+y*y)/20} }),
		"glass": paint(func(x, y int) [4]int { return [4]int{200, 220 - y, 255 - x, 128} }),
		"smoke": paint(func(x, y int) [4]int { return [4]int{200 + noise(3), 200 + noise(3), 205, 2*x + 2*y} }),
		"fog": paint(func(x, y int) [4]int {
			v := 128 + x + (x+y*y/9)%13/8*60
			return [4]int{v, v, v, 4*y + noise(3)}
		}),
		"gray": paint(func(x, y int) [4]int {
			v := x*y/16 + noise(2)
			return [4]int{v, v, v, 255}
		}),
		"tile": paint(func(x, y int) [4]int { return [4]int{x / 8 * 32, y / 8 * 32, 77, 255} }),
	}
}

// Bricks returns a sample whose bricks are similar but not equal.
func Bricks() []byte {
	random := rand.New(rand.NewPCG(4, 5))
	var brick [16][8]int
	for y := range brick {
		for x := range brick[y] {
			brick[y][x] = 100 + random.IntN(60)
		}
	}
	return paint(func(x, y int) [4]int {
		v := brick[y%16][(x+y/16)%8] + random.IntN(7)
		return [4]int{v + 40, v, v - 30 + random.IntN(5), 255}
	})
}

func paint(at func(x, y int) [4]int) []byte {
	pix := make([]byte, 0, 4*Side*Side)
	for y := range Side {
		for x := range Side {
			for _, v := range at(x, y) {
				pix = append(pix, byte(max(0, min(v, 255))))
			}
		}
	}
	return pix
}

// Pixels draws the RGBA pixels of a random block: with few or many colors, gray or not, opaque or
// not.
func Pixels(t *rapid.T, count int) []byte {
	most := rapid.SampledFrom([]byte{0, 1, 3, 20, 255}).Draw(t, "spread")
	base := rapid.SliceOfN(rapid.Byte(), 12, 12).Draw(t, "base")
	alpha := rapid.SampledFrom([]string{"opaque", "cut out", "any", "even"}).Draw(t, "alpha")
	gray := rapid.Bool().Draw(t, "gray")
	random := rapid.SliceOfN(rapid.Byte(), 4*count, 4*count).Draw(t, "noise")
	pixels := make([]byte, 4*count)
	for i := 0; i < len(pixels); i += 4 {
		from := base[4*int(random[i]%3):]
		for c := range 4 {
			pixels[i+c] = from[c] + byte(int(random[i+c])*int(most)/255)
		}
		if gray {
			pixels[i+1], pixels[i+2] = pixels[i], pixels[i]
		}
		switch alpha {
		case "opaque":
			pixels[i+3] = 255
		case "cut out":
			pixels[i+3] = -(pixels[i+3] & 1)
		case "even":
			pixels[i+3] = base[3]
		}
	}
	return pixels
}
