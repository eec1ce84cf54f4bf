package texenc

import (
	"sync"

	"github.com/assetcook/assetcook/internal/image/bc6h"
)

// append writes the block.
func (l *lightLine) append(out []byte) []byte {
	b := bc6h.Block{Mode: oneLine()[l.mode.number], Index: l.index}
	b.Ends[0], b.Ends[1] = l.a, l.b
	if l.index[0] >= 8 { // the high bit of the first index is not stored
		b.Ends[0], b.Ends[1] = l.b, l.a
		for i := range b.Index {
			b.Index[i] = 15 - b.Index[i]
		}
	}
	block := b.Pack()
	return append(out, block[:]...)
}

// oneLine returns the modes of one line by their numbers.
var oneLine = sync.OnceValue(func() *[16]*bc6h.Mode {
	var modes [16]*bc6h.Mode
	all := bc6h.Modes()
	for i := range all {
		if m := &all[i]; m.Regions == 1 {
			modes[m.Number] = m
		}
	}
	return &modes
})
