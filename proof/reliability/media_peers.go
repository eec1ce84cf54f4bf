package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/assetcook/assetcook/bench/peers"
	"github.com/assetcook/assetcook/internal/image/source"
)

// leastLikeness is the minimum PSNR, in dB, of the pixels of an undamaged file against those
// of the reference decoder. Damaged files are not compared: decoders clip huge values in
// different ways.
const leastLikeness = 45

// checkPixels compares an accepted file with the output of the reference decoder, if there is
// one. We must have warned of damage that it detects, and the pixels must be similar.
func checkPixels(ctx context.Context, dir string, f mediaFile, sound bool) error {
	if !peers.Knows(f.ext) {
		return nil
	}
	m, info, err := source.Decode(ctx, f.data, f.ext, 1<<14)
	if err != nil {
		return fmt.Errorf("cooked, but decoding fails: %w", err)
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
		return fmt.Errorf("accepted without a warning, but the reference decoder reports: %.200q", said)
	case said != "" || info.Orientation > 1 || len(pnm) == 0 || !sound:
		return nil // it is stricter in other respects, or does not apply the orientation
	case bytes.Contains(f.data, []byte("\x03R\"\x00G\x11\x00B\x11\x00")):
		return nil // image/jpeg returns replicated RGB samples
	}
	dB, err := peers.PSNR(m, pnm)
	if err == nil && dB < leastLikeness {
		err = fmt.Errorf("PSNR of %.1f dB to the output of the reference decoder", dB)
	}
	return err
}
