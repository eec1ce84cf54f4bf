package audio

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// A weighed cooker measures the memory that it allocates.
type weighed struct {
	*audioOptions
	allocated int64
}

func (w *weighed) Cook(ctx context.Context, job *recipe.Job) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := w.audioOptions.Cook(ctx, job)
	runtime.ReadMemStats(&after)
	w.allocated = int64(after.TotalAlloc - before.TotalAlloc)
	return err
}

// The estimate must cover the sum of all allocations, because these cooks make little garbage.
// Without fixedMemory, the estimate must be at most twice the sum.
func TestEstimateIsNearTheAllocations(t *testing.T) {
	stereo := file(t, chord(44100, 2, 400_000), wav.PCM16)
	mono := file(t, chord(44100, 1, 400_000), wav.PCM24)
	slow := file(t, chord(1, 1, 100_000), wav.PCM8)
	low := file(t, chord(4000, 1, 200_000), wav.PCM8)
	for _, c := range []struct {
		name string
		set  func(o *audioOptions)
		data []byte
	}{
		{"pcm", func(o *audioOptions) { o.Format = "pcm" }, stereo},
		{"qoa", func(o *audioOptions) { o.Format = "qoa" }, stereo},
		{"adpcm", func(o *audioOptions) { o.Format = "adpcm" }, stereo},
		{"down", func(o *audioOptions) { o.Rate = 22050 }, stereo},
		{"up", func(o *audioOptions) { o.Format, o.Rate = "pcm", 96000 }, stereo},
		{"an odd ratio", func(o *audioOptions) { o.Format, o.Rate = "pcm", 47999 }, mono},
		{"mono to stereo", func(o *audioOptions) { o.Format, o.Channels = "pcm", "stereo" }, mono},
		{"a frame a second", func(o *audioOptions) { o.Format = "pcm" }, slow},
		{"a low rate", func(o *audioOptions) { o.Format, o.Loudness = "pcm", -16 }, low},
		{"stereo to mono", func(o *audioOptions) { o.Format, o.Channels, o.Loudness = "float", "mono", -16 }, stereo},
	} {
		w := &weighed{audioOptions: options(c.set)}
		want, err := w.estimateMemory(c.data[:recipe.HeadSize], int64(len(c.data)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		of := Recipe()
		of.Traits = nil // the traits work only with audioOptions
		if r := recipetest.Cook(t, of, w, fstest.MapFS{"a": {Data: c.data}}, "", "a"); r.Err != nil {
			t.Errorf("%s: %v", c.name, r.Err)
		}
		// After decoding, the source is garbage. So the allocations may exceed the peak by the size
		// of the source.
		if w.allocated-int64(len(c.data)) > want-fixedMemory+1<<20 {
			t.Errorf("%s: estimated %d bytes, allocated %d", c.name, want, w.allocated)
		}
		if want-fixedMemory > 2*w.allocated {
			t.Errorf("%s: estimated %d bytes, allocated only %d", c.name, want, w.allocated)
		}
	}
}

func TestEstimateRefusesBadSources(t *testing.T) {
	o := options(nil)
	for name, head := range map[string][]byte{
		"nothing": nil, "text": []byte("text"), "half a header": []byte("fLaC\x00\x00"), "Opus": []byte("OggS"),
	} {
		if n, err := o.estimateMemory(head, int64(len(head))); err == nil {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
	data, err := os.ReadFile("../../internal/audio/vorbis/testdata/stereo.ogg")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.estimateMemory(data[:4000], int64(len(data))); !errors.Is(err, recipe.ErrShortHead) {
		t.Errorf("the head of an Ogg file: %v", err)
	}
	if n, err := o.estimateMemory(data, int64(len(data))); err != nil || n < 4*9000*2 {
		t.Errorf("all of it: %d, %v", n, err)
	}
}
