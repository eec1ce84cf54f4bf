package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes/audio"
	"github.com/assetcook/assetcook/recipes/builtin"
	pictures "github.com/assetcook/assetcook/recipes/image"
	"github.com/assetcook/assetcook/recipes/lut"
	"github.com/assetcook/assetcook/recipes/mesh"
	"github.com/assetcook/assetcook/recipes/shader"
)

// Limits for each file.
const (
	// mediaSlack is the number of bytes that a cook may hold beyond its estimate. It covers the
	// overhead of the measurement and the delay of the garbage collector.
	mediaSlack = 2 << 20
	// mediaPatience is the time limit for a file. The limit grows by the same amount for each
	// mediaShare bytes of the estimate, because a valid image that uses the whole budget is slow.
	mediaPatience = time.Second
	mediaShare    = 256 << 20
	// mediaCompile is the time limit for compiling WGSL, which happens in another process.
	mediaCompile = 10 * time.Second
	// mediaWords is the maximum length of an error, in bytes.
	mediaWords = 2000
)

// media damages files of all formats that recipes decode, and cooks each file as a run does: it
// checks the estimate against a budget, and then cooks into a file. No file may make a recipe
// panic, hold more memory than it estimated, or take over a second. If djpeg and dwebp are
// installed, damage that they detect must not be accepted without a warning, and the pixels of
// undamaged files must match theirs. Complete sounds must be cooked, and truncated ones rejected.
//
// The current file is on disk while it is cooked, so that it is available afterwards if it crashes
// the process. Each file that exceeds a limit is kept.
func media(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("media", flag.ContinueOnError)
	files := flags.Int("files", 100_000, "how many `files` to cook")
	seed := flags.Uint64("seed", 1, "start of the random numbers; the same one gives the same files")
	largest := flags.Int64("largest", 24<<10, "`bytes` of the largest file to start from")
	budget := flags.Int64("mem", 1<<30, "`bytes` of memory, as -mem of cook")
	keep := flags.String("keep", filepath.Join(os.TempDir(), "cook-media"), "`directory` for files that exceed a limit")
	only := flags.String("only", "", "start only from files with this `extension`, such as .tiff")
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	if os.Getenv("GODEBUG") != exactHeap {
		return withExactHeap(ctx, args)
	}
	fmt.Printf("media: seed %d\n", *seed)

	starts, err := mediaStarts(*largest)
	if err != nil {
		return err
	}
	sounds, err := mediaSounds(*largest)
	if err != nil {
		return err
	}
	starts = withExtension(append(starts, sounds...), *only)
	if len(starts) == 0 {
		return fmt.Errorf("no files of extension %q to start from", *only)
	}
	if err := os.MkdirAll(*keep, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(*keep, "work")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	confined, err := confine.Open(dir)
	if err != nil {
		return err
	}
	defer confined.Close()
	m := mediaRun{
		bench: mediaBench{dir: dir, assets: confined, budget: *budget, cookers: mediaCookers()},
		keep:  *keep,
	}
	m.bench.glslang, _ = exec.LookPath("glslangValidator")
	m.bench.spirvVal, _ = exec.LookPath("spirv-val")
	stop := m.bench.watchFor(time.Minute)
	defer stop()
	mutate := mutator{rand: rand.New(rand.NewPCG(*seed, 0)), starts: starts}
	// Start with the bombs and the undamaged files; then continue with mutations of the undamaged
	// files.
	whole := append(withExtension(mediaBombs(), *only), starts...)
	whole = append(whole, mediaPieces(rand.New(rand.NewPCG(*seed, 1)), starts)...)
	begin := time.Now()
	for n := 0; n < *files && ctx.Err() == nil; n++ {
		var f mediaFile
		if n < len(whole) {
			f = whole[n]
		} else {
			f = mutate.nextMutation()
		}
		m.bench.sound = n < len(whole)
		m.judgeMediaCook(f, m.bench.cookMediaFile(ctx, f))
		if n%20_000 == 19_999 {
			fmt.Printf("media: %d files, %.0f/s\n", n+1, float64(n+1)/time.Since(begin).Seconds())
		}
	}
	m.printMediaTotals(len(starts), time.Since(begin))
	if m.broken > 0 {
		return fmt.Errorf("%d files exceeded a limit; see %s", m.broken, *keep)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return requireNonzero(int64(m.decoded+m.refused), "files that a recipe decoded or rejected")
}

// exactHeap is a setting that makes garbage collections stop the world. Otherwise, memory that is
// allocated during a collection counts as live, and a busy machine has more of this memory.
const exactHeap = "gcstoptheworld=1"

// withExactHeap runs the campaign in a new process that has the setting exactHeap.
func withExactHeap(ctx context.Context, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"media"}, args...)...)
	cmd.Env = append(os.Environ(), "GODEBUG="+exactHeap)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.Run()
}

// mediaRun counts the results.
type mediaRun struct {
	bench mediaBench
	keep  string

	files, decoded, refused, overBudget int
	panics, recovered, broken           int

	longest     time.Duration
	longestName string
	most        int64 // maximum number of bytes held beyond the estimate; negative if never
	mostName    string
	measured    int            // number of files whose allocations exceeded the estimate, so that the live heap was measured
	why         map[string]int // number of rejections, by the start of the error
}

func (m *mediaRun) judgeMediaCook(f mediaFile, r mediaResult) {
	if m.files == 0 {
		m.most, m.why = -1<<62, map[string]int{}
	}
	m.files++
	switch {
	case r.overBudget:
		m.overBudget++
	case r.err != nil:
		m.refused++
		m.why[kindOfError(r.err)]++
	default:
		m.decoded++
	}
	if r.took > m.longest {
		m.longest, m.longestName = r.took, m.saveMediaInput("longest"+f.ext, f)
	}
	if r.peak > 0 {
		m.measured++
		if over := r.peak - r.estimate; over > m.most {
			m.most, m.mostName = over, f.name
		}
	}
	var broke []string
	if r.panicked != nil {
		m.panics++
		broke = append(broke, fmt.Sprintf("panic: %v", r.panicked))
	}
	if r.err != nil && strings.Contains(r.err.Error(), "the decoder panicked") {
		m.recovered++
	}
	if r.took > r.patience() {
		broke = append(broke, fmt.Sprintf("took %v", r.took))
	}
	if over := r.peak - r.estimate; over > mediaSlack {
		broke = append(broke, fmt.Sprintf("held %d bytes, %d more than estimated", r.peak, over))
	}
	if r.err != nil && len(r.err.Error()) > mediaWords {
		broke = append(broke, fmt.Sprintf("error of %d bytes", len(r.err.Error())))
	}
	switch {
	case f.want == wantCooked && r.err != nil:
		broke = append(broke, fmt.Sprintf("rejected, but it is valid: %v", r.err))
	case f.want == wantRefused && r.err == nil:
		broke = append(broke, "cooked, but it is truncated")
	}
	if r.err != nil && strings.Contains(r.err.Error(), "(timeout)") {
		broke = append(broke, r.err.Error())
	}
	if r.odd != nil {
		broke = append(broke, r.odd.Error())
	}
	if len(broke) > 0 {
		m.broken++
		name := m.saveMediaInput(fmt.Sprintf("broke-%d%s", m.broken, f.ext), f)
		fmt.Printf("media: %s (from %s, %d bytes): %s\n", name, f.name, len(f.data), pathname.Escape(strings.Join(broke, "; ")))
	}
}

func (m *mediaRun) saveMediaInput(name string, f mediaFile) string {
	name = filepath.Join(m.keep, name)
	if err := os.WriteFile(name, f.data, 0o666); err != nil {
		return err.Error()
	}
	return name
}

// kindOfError returns the start of an error, without the numbers that vary by file.
func kindOfError(err error) string {
	text := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '#'
		}
		return r
	}, err.Error())
	words := strings.Fields(text)
	return pathname.Escape(strings.Join(words[:min(6, len(words))], " "))
}

func (m *mediaRun) printMediaTotals(starts int, took time.Duration) {
	for _, line := range commonest(m.why, 12) {
		fmt.Printf("media: refused: %s\n", line)
	}
	fmt.Printf("media: longest %v, %s\n", m.longest.Round(time.Microsecond), m.longestName)
	if m.measured > 0 {
		fmt.Printf("media: %d files allocated more in all than their estimated peak; the most held at once, beside the estimate: %+d bytes, from %s\n",
			m.measured, m.most, m.mostName)
	}
	fmt.Printf("media: %d files from %d starts in %v (%.0f/s): %d decoded, %d refused, %d over the budget, %d panics, %d recovered in decoders, %d exceeded a limit\n",
		m.files, starts, took.Round(time.Second), float64(m.files)/took.Seconds(), m.decoded, m.refused, m.overBudget, m.panics, m.recovered, m.broken)
}

// mediaCookers returns the recipes by extension. Textures are not supercompressed, because this
// would dominate the measurements.
func mediaCookers() map[string]mediaCooker {
	byName := map[string]recipe.Recipe{}
	for _, r := range append(builtin.All(), pictures.Recipe(), lut.Recipe(), mesh.Recipe(), audio.Recipe(), shader.Recipe()) {
		byName[r.Name] = r
	}
	cookers := map[string]mediaCooker{}
	for ext, name := range map[string]string{
		".png": "image", ".jpeg": "image", ".gif": "image", ".bmp": "image", ".tiff": "image", ".webp": "image", ".tga": "image",
		".gltf": "gltf", ".json": "json", ".glb": "mesh", ".model": "mesh", ".obj": "mesh",
		".wav": "audio", ".flac": "audio", ".mp3": "audio", ".ogg": "audio",
		".cube": "lut", ".frag": "shader", ".wgsl": "shader",
	} {
		r := byName[name]
		c := r.New()
		if name == "image" || name == "lut" {
			mustSetOption(c, "zstd", int64(0))
		}
		if ext == ".wgsl" {
			mustSetOption(c, "format", "spirv")
			mustSetOption(c, "timeout", mediaCompile.String())
		}
		cookers[ext] = mediaCooker{r, c}
	}
	return cookers
}

// mustSetOption sets an option that the recipe must have.
func mustSetOption(c recipe.Cooker, key string, value any) {
	if err := recipeset.SetOption(c, key, value); err != nil {
		panic(fmt.Sprintf("option %s: %v", key, err))
	}
}
