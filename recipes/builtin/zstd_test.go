package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/ctxio"
)

// words is text that compresses about as well as typical data.
func words(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "vertex %d of %x\n", r.IntN(1000), r.IntN(1<<20))
	}
	return b.Bytes()[:size]
}

func TestZstdRoundTrip(t *testing.T) {
	r := named(t, "zstd")
	for _, level := range []int{1, 3, 6, 10, 19} {
		for _, size := range []int{0, 1, 100, 255, 256, 65536, 128 << 10, 128<<10 + 1, 1 << 20} {
			data := words(size)
			res := recipetest.Cook(t, r, &zstdOptions{Level: level}, fstest.MapFS{"a": {Data: data}}, "", "a")
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			var head zstd.Header
			if err := head.Decode(res.Outputs[0]); err != nil {
				t.Fatal(err)
			}
			if !head.HasFCS || head.FrameContentSize != uint64(size) {
				t.Errorf("level %d, %d bytes: the frame says %v, %d bytes", level, size, head.HasFCS, head.FrameContentSize)
			}
			// An empty frame has no content, so it needs no checksum.
			if !head.HasCheckSum && size > 0 {
				t.Errorf("level %d, %d bytes: no checksum", level, size)
			}
			dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(zstdMaxWindow))
			if err != nil {
				t.Fatal(err)
			}
			back, err := dec.DecodeAll(res.Outputs[0], nil)
			dec.Close()
			if err != nil || !bytes.Equal(back, data) {
				t.Errorf("level %d, %d bytes: %v, %d bytes back", level, size, err, len(back))
			}
		}
	}
}

// This test fails if an update of the encoder changes its output. Then cached results differ from a
// fresh cook, so the recipe's version must be raised together with these checksums.
func TestZstdBytesArePinned(t *testing.T) {
	for level, want := range map[int]string{
		1:  "3e85b71bb34e0487",
		3:  "8b53ba2d018abb26",
		6:  "e87a428ad7ddcf4c",
		10: "19d13e048f9b1988",
	} {
		var out bytes.Buffer
		if err := (&zstdOptions{Level: level}).compressStream(&out, bytes.NewReader(words(700_000)), 700_000); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(out.Bytes())
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("level %d: sum %s, want %s", level, got, want)
		}
	}
}

func TestZstdEncodersAreReused(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var files [][]byte
	for range 60 {
		size := 1 << rnd.IntN(20)
		data := words(size + rnd.IntN(size))
		switch rnd.IntN(3) {
		case 0: // the file has random bytes
			for i := range data {
				data[i] = byte(rnd.Uint32())
			}
		case 1: // the second half of the file repeats the first
			copy(data[len(data)/2:], data)
		}
		files = append(files, data[:rnd.IntN(len(data)+1)])
	}
	for _, level := range []int{1, 3, 6, 10} {
		z := &zstdOptions{Level: level}
		compress := func(data []byte) string {
			var out bytes.Buffer
			if err := z.compressStream(&out, bytes.NewReader(data), int64(len(data))); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		encoders.Clear()
		var reused []string
		for _, data := range files {
			reused = append(reused, compress(data))
			// The source is shorter than announced, so the encoder stops in the middle of a frame.
			if err := z.compressStream(discard{}, bytes.NewReader(data), int64(len(data))+1); err == nil {
				t.Fatal("no error about a file that shrank")
			}
		}
		for i, data := range files {
			encoders.Clear()
			if compress(data) != reused[i] {
				t.Errorf("level %d: file %d of %d bytes comes out otherwise the second time", level, i, len(data))
			}
		}
	}
}

func TestZstdNoticesAChangedSize(t *testing.T) {
	for _, size := range []int64{0, 9, 11, 1 << 20} {
		var out bytes.Buffer
		err := (&zstdOptions{Level: 3}).compressStream(&out, strings.NewReader("ten bytes."), size)
		wantError(t, err, "changed from", "to 10 bytes")
	}
}

func TestZstdStaysInsideItsEstimate(t *testing.T) {
	for _, level := range []int{1, 3, 6, 10} {
		for _, size := range []int{10, 1 << 20, 20 << 20} {
			z := &zstdOptions{Level: level}
			estimate, err := z.estimateMemory(nil, int64(size))
			if err != nil {
				t.Fatal(err)
			}
			src := ctxio.Reader(context.Background(), bytes.NewReader(make([]byte, size)))
			encoders.Clear()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := z.compressStream(discard{}, src, int64(size)); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			// The estimate must cover even the sum of all allocations, but not exceed eight times
			// the sum.
			if got := int64(after.TotalAlloc - before.TotalAlloc); got > estimate || got < estimate/8 {
				t.Errorf("level %d, %d bytes: allocated %d, estimate %d", level, size, got, estimate)
			}
		}
	}
}

// discard discards all writes. Unlike io.Discard it does not implement io.ReaderFrom, whose buffers
// would count as allocations.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
