package bc6h

import "github.com/assetcook/assetcook/internal/image/bc7"

// Lines are the colors of a block in another format, to be converted to BC6H.
type Lines struct {
	Regions   uint8        // number of regions; each has its own line
	Levels    int          // number of colors on a line: 8, or 16 if there is one region
	Partition uint8        // partition of two regions
	Ends      [4][3]uint16 // two endpoints per region, as half-precision floats
	Index     [16]uint8
}

// BlockOf returns a block with the given lines. Its mode has the most precise first endpoint of the
// modes that can store the endpoints. A line with eight colors becomes two equal lines, because
// blocks with one line have 16 colors.
func BlockOf(l *Lines) (b Block) {
	ends, regions := l.Ends, l.Regions
	b.Partition, b.Index = l.Partition, l.Index
	if regions == 1 && l.Levels == 8 {
		regions, b.Partition = 2, 0
		ends[2], ends[3] = ends[0], ends[1]
	}
	mask, second := uint16(0), uint8(0)
	if regions == 2 {
		mask, second = bc7.Pair(b.Partition)
	}
	top := uint8(l.Levels - 1)
	for region, anchor := range [2]uint8{0, second} {
		if region >= int(regions) || b.Index[anchor] <= top/2 {
			continue
		}
		ends[2*region], ends[2*region+1] = ends[2*region+1], ends[2*region]
		for i := range b.Index {
			if int(mask>>i&1) == region {
				b.Index[i] = top - b.Index[i]
			}
		}
	}
	modes := finestFirst()
	if regions == 1 {
		modes = finestLines()
	}
	for _, b.Mode = range modes {
		for i := range ends[:2*regions] {
			for c, h := range ends[i] {
				b.Ends[i][c] = (int32(h)*64 + 30) / (31 << (16 - b.Mode.Bits))
			}
		}
		if b.Fits() {
			break
		}
	}
	return b // the last mode stores all endpoints directly, so the block fits
}
