//go:build amd64 || arm64

// Command bc7 compares packages bc7, astc, etc2 and uastc with other encoders on ten crops of a
// game's images: pixels per second of CPU time, and similarity to the source.
//
//	go run ./bench/bc7 -data /usr/share/games/supertuxkart/data -peer PROGRAM
//	go run ./bench/bc7 -format astc6x6 -astcenc PROGRAM
//	go run ./bench/bc7 -normals -astcenc PROGRAM
//	go run ./bench/bc7 -format uastc-bc7 -peer PROGRAM
//	go run ./bench/bc7 -format etc2rgb -peer PROGRAM -vector PROGRAM
//	go run ./bench/bc7 -format astc6x6 -class heldout -data DIRECTORY -astcenc PROGRAM
//
// The images are from Debian's package supertuxkart-data, or with -class heldout from the packages
// that heldOut lists. The peer is built from
// testdata/peer.cpp, uastc.cpp for UASTC, or etc2.cpp for ETC2 and EAC, which describe the build,
// and from the sources of their encoders. Without it only encoders in Go run. The program of
// -astcenc is Arm's, as packaged by Debian. The decoder library needs a 64-bit processor.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

func main() {
	data := flag.String("data", "/usr/share/games/supertuxkart/data", "the game's data `directory`")
	program := flag.String("peer", "", "the `program` built from testdata/peer.cpp, uastc.cpp for UASTC, or etc2.cpp for ETC2 and EAC")
	format := flag.String("format", "bc7", "the `format`: bc7, astc4x4 to astc12x12, etc2rgb, etc2rgba, eacr11, uastc, or uastc-bc7, -etc2, -bc3, -bc1 for a transcoded one")
	astcenc := flag.String("astcenc", "", "Arm's `program` astcenc")
	vector := flag.String("vector", "", "the `program` built from testdata/etc2.cpp with vector instructions")
	rounds := flag.Int("rounds", 3, "how often each encoder runs; the minimum time counts")
	only := flag.String("only", "", "run encoders whose names match this `regexp`")
	class := flag.String("class", "textures", "the images: textures, smooth for smooth alpha and user interfaces, or heldout")
	coverage := flag.Float64("coverage", 0, "judge foliage by its coverage instead: the minimum `alpha`, 0 to 1, of drawn pixels")
	normals := flag.Bool("normals", false, "judge a normal map by the angles of the stored vectors instead")
	slow := flag.Bool("slow", false, "run the slowest too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	switch {
	case *coverage > 0:
		err = coverages(ctx, os.Stdout, *data, *coverage)
	case *normals:
		err = angles(ctx, os.Stdout, *data, *astcenc)
	default:
		err = compareEncoders(ctx, os.Stdout, *data, contestants{*format, *program, *astcenc, *slow, *vector}, *rounds, *only, *class)
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bc7: %v\n", err)
		os.Exit(1)
	}
}

func compareEncoders(ctx context.Context, out io.Writer, data string, of contestants, rounds int, only, class string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	chosenCrops, ok := map[string][]crop{"textures": crops, "smooth": smooth, "heldout": heldOut}[class]
	if !ok {
		return fmt.Errorf("unknown class of pictures %q", class)
	}
	pictures, err := loadPictures(data, chosenCrops)
	if err != nil {
		return err
	}
	if f, ok := parseETC(of.format); ok {
		pictures = f.stored(pictures)
	}
	all, err := of.all()
	if err != nil {
		return err
	}
	chosen := all[:0]
	for _, c := range all {
		if wanted.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	results, err := contest(ctx, pictures, chosen, rounds)
	if err != nil {
		return err
	}
	return table(out, pictures, chosen, results)
}

// contestants returns the contestants for the format in the flags.
type contestants struct {
	format        string
	peer, astcenc string // paths of programs; "" if not given
	slow          bool
	vector        string // a second program for ETC2, built with vector instructions
}

func (of contestants) all() ([]contestant, error) {
	if f, ok := parseETC(of.format); ok {
		return ofETC(f, of.peer, of.vector, of.slow), nil
	}
	if strings.HasPrefix(of.format, "uastc") {
		return ofUASTC(of.format, of.peer)
	}
	if of.format != "bc7" {
		return ofASTC(of.format, of.astcenc)
	}
	all := withRDO(square, func(ctx context.Context, blocks, pix []byte, q blockfit.Quality, rdo float64) error {
		return bc7.Encode(ctx, blocks, pix, side, side, bc7.Options{Quality: q, RDO: rdo})
	})
	all = append(all, library(1))
	program := of.peer
	if of.slow {
		all = append(all, library(2))
	}
	if program != "" {
		all = append(all,
			peer(program, "bc7enc", "0"), peer(program, "bc7enc", "8"),
			peer(program, "bc7e", "ultrafast"), peer(program, "bc7e", "veryfast"),
			peer(program, "bc7f", "analytical"), peer(program, "bc7f", "partial"))
		if of.slow {
			all = append(all, peer(program, "bc7enc", "64"))
		}
	}
	return all, nil
}

// table prints a row for each encoder, and a column for each image.
func table(out io.Writer, pictures []picture, all []contestant, results [][]result) error {
	var b strings.Builder
	b.WriteString("| encoder | Mpix/s | PSNR |")
	for i := range pictures {
		fmt.Fprintf(&b, " %d |", i+1)
	}
	b.WriteString(" zstd | normals |\n|---|---:|---:|" + strings.Repeat("---:|", len(pictures)+2) + "\n")
	for i, c := range all {
		var seconds, psnr, degrees float64
		size, mark := 0, ""
		for _, r := range results[i] {
			if r.leaks {
				mark = " (opaque pixels become transparent)"
			}
			seconds += r.seconds
			psnr += r.psnr / float64(len(pictures))
			size += r.zstd
			degrees = max(degrees, r.degrees)
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.2f |", c.name+mark, float64(len(pictures)*side*side)/1e6/seconds, psnr)
		for _, r := range results[i] {
			fmt.Fprintf(&b, " %.1f |", r.psnr)
		}
		fmt.Fprintf(&b, " %d | %.2f° |\n", size, degrees)
	}
	b.WriteString("\n")
	writeDuels(&b, all, results)
	for i, p := range pictures {
		channels := "RGB"
		if p.alpha {
			channels = "RGBA"
		}
		fmt.Fprintf(&b, "%d. %s: `%s` from %d, %d (%s)\n", i+1, p.kind, p.path, p.x, p.y, channels)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeDuels compares each of our encoders with each peer. A row has the ratio of the CPU times and
// the difference in PSNR.
func writeDuels(b *strings.Builder, all []contestant, results [][]result) {
	b.WriteString("| ours | peer | CPU time | median dB | mean dB | least dB | ahead | behind |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	for i, ours := range all {
		for j, peer := range all {
			if !strings.HasPrefix(ours.name, "ours") || strings.HasPrefix(peer.name, "ours") {
				continue
			}
			var gains []float64
			var took, peerTook, sum float64
			ahead, behind := 0, 0
			for k, r := range results[i] {
				gain := r.psnr - results[j][k].psnr
				gains, sum = append(gains, gain), sum+gain
				took, peerTook = took+r.seconds, peerTook+results[j][k].seconds
				if gain >= leastGain {
					ahead++
				} else if gain <= -leastGain {
					behind++
				}
			}
			slices.Sort(gains)
			n := len(gains)
			median := (gains[(n-1)/2] + gains[n/2]) / 2
			fmt.Fprintf(b, "| %s | %s | %.2fx | %+.2f | %+.2f | %+.2f | %d | %d |\n", ours.name, peer.name, took/peerTook, median, sum/float64(n), gains[0], ahead, behind)
		}
	}
	b.WriteString("\n")
}

// leastGain is the difference in dB below which two encoders tie.
const leastGain = 0.02
