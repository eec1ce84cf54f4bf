package pixmap

import "context"

// Mips returns m and its smaller levels, as MipBands makes them.
func Mips(ctx context.Context, m *Map, o MipOptions) ([]*Map, error) {
	levels := []*Map{m}
	o.Whole = true
	err := MipBands(ctx, m, o, func(level int, band *Map) error {
		for len(levels) <= level {
			levels = append(levels, nil)
		}
		levels[level] = band
		return nil
	})
	return levels, err
}
