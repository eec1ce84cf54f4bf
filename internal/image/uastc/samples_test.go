package uastc

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
		"glass": paint(func(x, y int) [4]int { return [4]int{200, 220 - y, 255 - x, 128} }),
		"smoke": paint(func(x, y int) [4]int { return [4]int{200 + noise(3), 200 + noise(3), 205, 2*x + 2*y} }),
		"tile":  paint(func(x, y int) [4]int { return [4]int{x / 8 * 32, y / 8 * 32, 77, 255} }),
	}
}

// grays is a picture without colors.
func grays(alpha bool) []byte {
	random := rand.New(rand.NewPCG(6, 7))
	var pix []byte
	for y := range side {
		for x := range side {
			v, a := byte(100+x+random.IntN(20)), byte(255)
			if (x+y*y/9)%13 < 5 {
				v += 60
			}
			if alpha {
				a = byte(3*y + random.IntN(1+x/4))
			}
			pix = append(pix, v, v, v, a)
		}
	}
	return pix
}
