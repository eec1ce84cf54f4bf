package astc

import (
	"math/rand/v2"
	"testing"
)

func TestPackUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	n := 0
	for range 300000 {
		side := sides[random.IntN(len(sides))]
		block := stream{random.Uint64(), random.Uint64()}
		if random.IntN(2) == 0 {
			block.low &^= 3 << 11
		}
		c, ok := unpack(&block, side)
		if !ok || c.parts > 1 && block.at(23, 2) != 0 {
			continue
		}
		n++
		packed := c.pack()
		back, ok := unpack(&packed, side)
		if !ok || back != c {
			t.Fatalf("%+v became %+v", c, back)
		}
	}
	if n < 10000 {
		t.Errorf("%d blocks", n)
	}
}
