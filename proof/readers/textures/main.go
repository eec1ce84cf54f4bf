// Command textures writes a texture of every format, as KTX2 and DDS, and checks what independent
// programs read from the files:
//
//   - ktx-parse, a KTX2 reader in JavaScript: every field of the header and the
//     descriptor, by the names of the standard, and the levels. It also writes the
//     file again, which must not change its bytes.
//   - ffmpeg and ImageMagick: DDS files of the formats that they support, whose
//     decoded pixels must be similar to the source.
//   - astcenc, Arm's ASTC encoder and decoder: the blocks of the samples and
//     thousands of random blocks, which must decode to the same pixels as with our decoder.
//   - the basis_universal transcoder that three.js contains: UASTC samples and
//     random blocks, which must decode to the same pixels as with our decoder, and transcode.
//
// It prints a line for each file and reader. A format that a reader does not support is reported
// but is not a failure, and a tool that is not installed is skipped. Run ../textures.sh, which
// installs the available tools first.
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
	basis := flag.String("basis", "", "the `directory` of three.js's basis_transcoder.js")
	astcenc := flag.String("astcenc", "", "the `program` astcenc")
	script := flag.String("script", "proof/readers/textures/ktxparse.mjs", "`path` of the script that runs ktx-parse")
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
		fmt.Println("ktx-parse: skipped without -ktx-parse")
	} else if wrong, err = askKTXParse(ctx, filepath.Join(dir, "ktx2"), parse, script, samples); err != nil {
		return err
	}
	if basis == "" {
		fmt.Println("basisu: skipped without -basis")
	} else {
		more, err := askTranscoder(ctx, filepath.Join(dir, "uastc"), basis, filepath.Join(filepath.Dir(script), "basis.mjs"), samples)
		if err != nil {
			return err
		}
		wrong += more
	}
	if astcenc == "" {
		fmt.Println("astcenc: skipped without -astcenc")
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
