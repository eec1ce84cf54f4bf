package etc2

import (
	"math/rand/v2"
)

// side is the width and height of a sample.
const side = 64

// samples are small pictures of the kinds that matter, made of whole numbers alone.
func samples() map[string][]byte {
	random := rand.New(rand.NewPCG(2, 3))
	noise := func(n int) int { return random.IntN(2*n+1) - n }
	paint := func(at func(x, y int) [4]int) []byte {
		pix := make([]byte, 0, 4*side*side)
		for y := range side {
			for x := range side {
				for _, v := range at(x, y) {
					pix = append(pix, byte(max(0, min(v, 255))))
				}
			}
		}
		return pix
	}
	return map[string][]byte{
		"gradient": paint(func(x, y int) [4]int { return [4]int{x * 4, 255 - y*3, 40 + x + y, 255} }),
		"noise": paint(func(x, y int) [4]int {
			return [4]int{random.IntN(256), random.IntN(256), random.IntN(256), 255}
		}),
		"stone": paint(func(x, y int) [4]int {
			v := 90 + 40*((x/5+y/7)%3) + noise(20)
			return [4]int{v, v - 10 + noise(4), v - 25 + noise(4), 255}
		}),
		"letters": paint(func(x, y int) [4]int {
			if (x*x/9+y*3)%11 < 4 {
				return [4]int{220, 30 + x, 40, 255}
			}
			return [4]int{20, 40, 200 - y, 255}
		}),
		"leaves": paint(func(x, y int) [4]int {
			if (x*y/13+x/3)%7 < 3 {
				return [4]int{random.IntN(256), 255, 0, 0}
			}
			return [4]int{60 + noise(30), 120 + noise(40), 30 + noise(20), 160 + 10*(x%10)}
		}),
		"smoke": paint(func(x, y int) [4]int { return [4]int{200 + noise(3), 200 + noise(3), 205, 2*x + 2*y} }),
		"tile":  paint(func(x, y int) [4]int { return [4]int{x / 8 * 32, y / 8 * 32, 77, 255} }),
	}
}

// decoded is a picture whose blocks have alpha or not.
func decoded(blocks []byte, w, h int, alpha bool) []byte {
	pix := make([]byte, 4*w*h)
	across := (w + 3) / 4
	var block [64]byte
	for at := 0; at < across*((h+3)/4); at++ {
		if alpha {
			DecodeRGBA(&block, (*[16]byte)(blocks[16*at:]))
		} else {
			DecodeRGB(&block, (*[8]byte)(blocks[8*at:]))
		}
		x, y := at%across*4, at/across*4
		for row := range min(4, h-y) {
			copy(pix[4*((y+row)*w+x):], block[16*row:][:4*min(4, w-x)])
		}
	}
	return pix
}
