package wav

import (
	"fmt"
	"math/bits"
	"strings"
)

// places returns the speakers that channels are usually for, as the bits of
// WAVEFORMATEXTENSIBLE: FL FR FC LFE BL BR FLC FRC BC SL SR.
func places(channels int) uint32 {
	usual := [...]uint32{3: 0x7, 4: 0x33, 5: 0x37, 6: 0x3f, 7: 0x70f, 8: 0x63f}
	if channels < len(usual) {
		return usual[channels]
	}
	return 0
}

// Pairs of surround speakers that stand for each other where there is only one.
const (
	backPair = 0x030
	sidePair = 0x600
)

// checkPlaces refuses more than two channels that are for other speakers than those
// that a clip of so many has: each would be heard where it does not belong. A mask
// that does not have one speaker for each channel says nothing.
func checkPlaces(channels int, mask uint32) error {
	usual := places(channels)
	switch {
	case usual == 0 || bits.OnesCount32(mask) != channels || mask == usual:
		return nil
	case mask&(backPair|sidePair) == sidePair && mask^(backPair|sidePair) == usual:
		return nil
	}
	return fmt.Errorf("%d channels for the speakers %s are not read, only for %s; export the sound for those, or as stereo",
		channels, speakers(mask), speakers(usual))
}

// speakers names the bits of a mask, from the lowest.
func speakers(mask uint32) string {
	names := [...]string{"FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR",
		"TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR"}
	var list []string
	for ; mask != 0; mask &= mask - 1 {
		if bit := bits.TrailingZeros32(mask); bit < len(names) {
			list = append(list, names[bit])
		} else {
			list = append(list, fmt.Sprintf("0x%x", uint32(1)<<bit))
		}
	}
	return strings.Join(list, " ")
}
