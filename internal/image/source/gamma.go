package source

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A gAMA chunk holds 100000 times the exponent that made the stored numbers out
// of light.
const (
	gammaUnit = 100000
	// sRGBGamma is the exponent that stands for sRGB by convention. The curve
	// of sRGB has a straight piece near black, which no exponent has, so that
	// numbers under it are taken for sRGB as they are.
	sRGBGamma = 45455
	// leastGamma and mostGamma bound what is believed to be meant.
	leastGamma, mostGamma = gammaUnit / 10, gammaUnit * 10
)

// applicable returns gamma, or 0 if it is that of sRGB, give or take a
// twentieth as libpng does, or makes no sense.
func applicable(gamma int64) int {
	if gamma < leastGamma || gamma > mostGamma || gamma*100 > sRGBGamma*95 && gamma*100 < sRGBGamma*105 {
		return 0
	}
	return int(gamma)
}

// toSRGB turns the colors of m, which are light to the power of gamma, into
// sRGB.
func toSRGB(ctx context.Context, m *pixmap.Map, gamma int) error {
	if m.Pix16 != nil {
		return apply(ctx, m.Pix16, gammaTable[uint16](math.MaxUint16, gamma))
	}
	return apply(ctx, m.Pix8, gammaTable[uint8](math.MaxUint8, gamma))
}

// apply looks up every color of pix, but not its alpha.
func apply[T uint8 | uint16](ctx context.Context, pix, table []T) error {
	const block = 4 << 16 // numbers between two looks at the context
	for len(pix) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := pix[:min(block, len(pix))]
		pix = pix[len(part):]
		for i := 0; i < len(part); i += 4 {
			part[i], part[i+1], part[i+2] = table[part[i]], table[part[i+1]], table[part[i+2]]
		}
	}
	return nil
}

// gammaTable returns for each number of 0 to top what it is in sRGB.
func gammaTable[T uint8 | uint16](top int, gamma int) []T {
	table := make([]T, top+1)
	for i := range table {
		light := detmath.Pow(float64(i)/float64(top), gammaUnit/float64(gamma))
		table[i] = T(math.Floor(float64(encodeSRGB(light)*float64(top)) + 0.5))
	}
	return table
}

// encodeSRGB is the transfer function of IEC 61966-2-1, of 0 to 1.
func encodeSRGB(light float64) float64 {
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return min(1, float64(1.055*detmath.Pow(light, 1/2.4))-0.055)
}
