package astc

// An infill says how the weights of a grid make those of the pixels: pixel i has
// the sum of weight[at[i][k]] times share[i][k], in sixteenths.
type infill struct {
	at    [64][4]uint8
	share [64][4]uint8
}

// newInfill makes the infill of a grid for blocks of side by side pixels.
// Source: Khronos Data Format Specification 1.4, chapter 23, "Weight Infill".
func newInfill(side, across, down int) *infill {
	f := &infill{}
	scale := (1024 + side/2) / (side - 1)
	for y := range side {
		for x := range side {
			gx, gy := (scale*x*(across-1)+32)>>6, (scale*y*(down-1)+32)>>6
			jx, fx, jy, fy := gx>>4, gx&15, gy>>4, gy&15
			both := (fx*fy + 8) >> 4
			share := [4]int{16 - fx - fy + both, fx - both, fy - both, both}
			first := jx + jy*across
			for k, at := range [4]int{first, first + 1, first + across, first + across + 1} {
				if share[k] != 0 {
					f.at[y*side+x][k], f.share[y*side+x][k] = uint8(at), uint8(share[k])
				}
			}
		}
	}
	return f
}

// pixel returns the weight of pixel i, 0 to 64.
func (f *infill) pixel(i int, weights *[64]uint8) int32 {
	at, share := &f.at[i&63], &f.share[i&63]
	sum := int32(8)
	for k := range at {
		sum += int32(weights[at[k]&63]) * int32(share[k])
	}
	return sum >> 4
}
