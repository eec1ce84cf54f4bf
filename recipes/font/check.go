package font

import (
	"errors"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
)

// checkOptions implements Traits.Check.
func (o *Font) checkOptions() error {
	for _, text := range o.Charset {
		if _, _, err := parseRange(text); err != nil {
			return err
		}
	}
	switch {
	case len(o.Charset)+len(o.Text) == 0:
		return &recipe.OptionError{Key: "charset", Got: "[]", Want: "runes, or a file in text"}
	case o.PowerOfTwo && o.MaxSize&(o.MaxSize-1) != 0:
		return &recipe.OptionError{Key: "max_size", Got: strconv.Itoa(o.MaxSize), Want: "a power of two, because of power_of_two = true"}
	}
	return nil
}

// maxSource is the size limit of a font, in bytes. The largest collections for Chinese, Japanese
// and Korean have half of it.
const maxSource = 256 << 20

var errLarge = errors.New("larger than 256 MiB, which no font is")

// estimateMemory implements Traits.Estimate. The size of the atlas depends on the glyphs, so it
// assumes the largest.
func (o *Font) estimateMemory(head []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, errLarge
	}
	if len(head) < 4 || string(head[:4]) != kindCollection {
		if err := checkKind(head); err != nil {
			return 0, err
		}
	}
	const (
		fixed      = 24 << 20 // at most one outline, with its pieces
		perByte    = 5        // kept per byte when opening
		perPair    = 32       // with room to grow
		perRune    = 256
		textMemory = 2 * maxText
		// The sorted outline with its colors, and rows of distances around it.
		multiOutline, multiRow = 16 << 20, 512
	)
	runes, text := int64(0), int64(0)
	for _, list := range o.Charset {
		if first, last, err := parseRange(list); err == nil {
			runes += int64(last-first) + 1
		}
	}
	if runes = min(runes, maxRunes); len(o.Text) > 0 {
		runes, text = maxRunes, textMemory
	}
	pairs := min(runes*runes, maxPairs)
	atlas := int64(o.channels()) * int64(o.MaxSize) * int64(o.MaxSize)
	outline := int64(0)
	if o.channels() > 1 {
		outline = multiOutline + multiRow*int64(o.MaxSize)
	}
	packed := int64(1 << 20)
	switch {
	case o.Container == "png":
		packed = 4*int64(o.MaxSize)*int64(o.MaxSize) + png.Memory(o.MaxSize, o.MaxSize, pixmap.Bits8)
	case o.Zstd > 0:
		packed = atlas + zstdMemory(o.Zstd)
	}
	return fixed + size + perByte*(size+openingReads) + perRune*runes + perPair*pairs + text + outline + atlas + packed, nil
}

// zstdMemory returns the measured memory of the encoder, without its output.
func zstdMemory(level int) int64 {
	switch {
	case level < 3:
		return 10 << 20
	case level < 10:
		return 22 << 20
	}
	return 54 << 20
}
