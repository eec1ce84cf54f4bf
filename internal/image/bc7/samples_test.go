package bc7

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
		"normal map": paint(func(x, y int) [4]int {
			dx, dy := (x*13%29)-14, (y*7%31)-15
			return [4]int{128 + 5*dx + noise(6), 128 + 5*dy + noise(6), 250 - (dx*dx+dy*dy)/4, 255}
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
		"glow": paint(func(x, y int) [4]int { return [4]int{255, 255, 255, 250 - (x*x+y*y)/20} }),
		"icon": paint(func(x, y int) [4]int {
			edge := 64 * max(0, min((x*3+y*2)%50-24, 4))
			return [4]int{edge * 200 / 256, edge * 160 / 256, edge * 20 / 256, min(edge, 255)}
		}),
		"glass": paint(func(x, y int) [4]int { return [4]int{200, 220 - y, 255 - x, 128} }),
		"smoke": paint(func(x, y int) [4]int { return [4]int{200 + noise(3), 200 + noise(3), 205, 2*x + 2*y} }),
		"tile":  paint(func(x, y int) [4]int { return [4]int{x / 8 * 32, y / 8 * 32, 77, 255} }),
	}
}

// bricks is a picture whose bricks are alike but not the same.
func bricks() []byte {
	random := rand.New(rand.NewPCG(4, 5))
	var brick [16][8]int
	for y := range brick {
		for x := range brick[y] {
			brick[y][x] = 100 + random.IntN(60)
		}
	}
	var pix []byte
	for y := range side {
		for x := range side {
			v := brick[y%16][(x+y/16)%8] + random.IntN(7)
			pix = append(pix, byte(v+40), byte(v), byte(v-30+random.IntN(5)), 255)
		}
	}
	return pix
}
