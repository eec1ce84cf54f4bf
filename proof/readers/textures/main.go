// Command textures writes a texture of every format, as KTX2 and DDS, and checks what
// independent programs read from the files:
//
//   - ktx-parse, a reader of KTX2 in JavaScript: every field of header and
//     descriptor by the names of the standard, and the levels. It also writes the
//     file again, which must give the same bytes.
//   - ffmpeg and ImageMagick: DDS of the formats that they know, decoded to pixels
//     that must look like the source.
//   - astcenc, Arm's encoder and decoder of ASTC: the blocks of the samples and some
//     thousand made at random, which it must decode to the pixels that ours does.
//   - the transcoder of basis_universal, as three.js brings it: UASTC of the samples and
//     random blocks, which it must decode to the pixels that ours does, and transcode.
//
// It prints a line for each file and reader. A format that a reader does not support is
// reported but is not a failure; a tool that is not installed is skipped. Run
// ../textures.sh, which gets what can be had first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	parse := flag.String("ktx-parse", "", "`path` of ktx-parse's index.mjs")
	basis := flag.String("basis", "", "the `folder` of three.js's basis_transcoder.js")
	astcenc := flag.String("astcenc", "", "the `program` astcenc")
	script := flag.String("script", "proof/readers/textures/ktxparse.mjs", "`path` of the script that runs it")
	flag.Parse()
	if err := judgeTextures(*parse, *script, *astcenc, *basis); err != nil {
		fmt.Fprintln(os.Stderr, "textures:", err)
		os.Exit(1)
	}
}

func judgeTextures(parse, script, astcenc, basis string) error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "textures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	samples, err := makeSamples(ctx)
	if err != nil {
		return err
	}
	wrong := 0
	if parse == "" {
		fmt.Println("ktx-parse: not asked (-ktx-parse)")
	} else if wrong, err = askKTXParse(ctx, filepath.Join(dir, "ktx2"), parse, script, samples); err != nil {
		return err
	}
	if basis == "" {
		fmt.Println("basisu: not asked (-basis)")
	} else {
		more, err := askTranscoder(ctx, filepath.Join(dir, "uastc"), basis, filepath.Join(filepath.Dir(script), "basis.mjs"), samples)
		if err != nil {
			return err
		}
		wrong += more
	}
	if astcenc == "" {
		fmt.Println("astcenc: not asked (-astcenc)")
	} else {
		more, err := askASTCReader(ctx, dir, astcenc, samples)
		if err != nil {
			return err
		}
		wrong += more
	}
	more, err := askDDSReaders(ctx, filepath.Join(dir, "dds"), samples)
	if err != nil {
		return err
	}
	if wrong += more; wrong > 0 {
		return fmt.Errorf("%d answers differ", wrong)
	}
	return nil
}
