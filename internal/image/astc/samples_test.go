package astc

import (
	"math/rand/v2"
)

// width is the width and height of a sample.
const width = 48

// samples are small pictures of the kinds that matter, made of whole numbers alone.
func samples() map[string][]byte {
	random := rand.New(rand.NewPCG(2, 3))
	noise := func(n int) int { return random.IntN(2*n+1) - n }
	paint := func(at func(x, y int) [4]int) []byte {
		pix := make([]byte, 0, 4*width*width)
		for y := range width {
			for x := range width {
				for _, v := range at(x, y) {
					pix = append(pix, byte(max(0, min(v, 255))))
				}
			}
		}
		return pix
	}
	return map[string][]byte{
		"gradient": paint(func(x, y int) [4]int { return [4]int{x * 5, 255 - y*4, 40 + x + y, 255} }),
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
		"gray": paint(func(x, y int) [4]int { v := x*y/9 + noise(2); return [4]int{v, v, v, 255} }),
		"fog":  paint(func(x, y int) [4]int { v := 128 + x; return [4]int{v, v, v, 5*y + noise(3)} }),
		"leaves": paint(func(x, y int) [4]int {
			if (x*y/13+x/3)%7 < 3 {
				return [4]int{random.IntN(256), 255, 0, 0}
			}
			return [4]int{60 + noise(30), 120 + noise(40), 30 + noise(20), 160 + 10*(x%10)}
		}),
		"glass": paint(func(x, y int) [4]int { return [4]int{200, 220 - y, 255 - x, 128} }),
		"smoke": paint(func(x, y int) [4]int { return [4]int{200 + noise(3), 200 + noise(3), 205, 2*x + 3*y} }),
		"tile":  paint(func(x, y int) [4]int { return [4]int{x / 24 * 32, y / 24 * 32, 77, 255} }),
	}
}

// read decodes the blocks of a picture.
func read(blocks []byte, w, h, side int, srgb bool) []byte {
	pix := make([]byte, 4*w*h)
	across := (w + side - 1) / side
	for at := range len(blocks) / 16 {
		var decoded [256]byte
		DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]), side, srgb)
		for i := range side * side {
			if x, y := at%across*side+i%side, at/across*side+i/side; x < w && y < h {
				copy(pix[4*(y*w+x):][:4], decoded[4*i:])
			}
		}
	}
	return pix
}
