package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/assetcook/assetcook/bench/peers"
	"github.com/assetcook/assetcook/cook/recipe/image/source"
)

// leastLikeness is how like, in dB, the pixels of a sound file must be to those that
// the reference decoder finds. Rounding leaves more than that of noise. Numbers that
// damage blew up each decoder cuts off in its own way.
const leastLikeness = 45

// checkPixels compares a file that was taken with what the reference decoder makes
// of it, where there is one: damage that it sees must have been seen, and pixels
// must be alike.
func checkPixels(ctx context.Context, dir string, f mediaFile, sound bool) error {
	if !peers.Knows(f.ext) {
		return nil
	}
	m, info, err := source.Decode(ctx, f.data, f.ext, 1<<14)
	if err != nil {
		return fmt.Errorf("cooked, but decoding it says: %w", err)
	}
	scratch, err := os.MkdirTemp(dir, "peer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	pnm, said, err := peers.Decode(ctx, scratch, f.ext, f.data)
	if err != nil {
		return err
	}
	damaged := strings.Contains(said, "Corrupt JPEG data") || strings.Contains(said, "Premature end")
	switch {
	case damaged && len(info.Notes) == 0:
		return fmt.Errorf("taken without a word, but the reference decoder says: %.200q", said)
	case said != "" || info.Orientation > 1 || len(pnm) == 0 || !sound:
		return nil // it is stricter about something else, or turns nothing
	case bytes.Contains(f.data, []byte("\x03R\"\x00G\x11\x00B\x11\x00")):
		return nil // image/jpeg hands out red, green and blue, replicated
	}
	dB, err := peers.PSNR(m, pnm)
	if err == nil && dB < leastLikeness {
		err = fmt.Errorf("%.1f dB from what the reference decoder makes of it", dB)
	}
	return err
}
