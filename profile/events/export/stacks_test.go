package export

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/assetcook/assetcook/profile/events"
)

// readFolded returns the number on each line, by stack.
func readFolded(t failer, text []byte) map[string]int64 {
	t.Helper()
	sums := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		cut := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(line[cut+1:], 10, 64)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		if _, again := sums[line[:cut]]; again {
			t.Fatalf("stack %q comes twice", line[:cut])
		}
		sums[line[:cut]] = n
	}
	return sums
}

func readPprof(t failer, packed []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func TestFolded(t *testing.T) {
	want := map[string]int64{
		"main;cook": 1300,
		"main;cook;cook/asset materials/wall.toml":          100,
		"worker 1;cook/asset textures/wall.png":             10,
		"worker 1;cook/asset textures/wall.png;cook/read":   60,
		"worker 1;cook/asset textures/wall.png;cook/encode": 1000,
	}
	if got := readFolded(t, writtenBy(t, writeFolded, kitchen())); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Separators in a name must be replaced. Stacks that become equal must be merged.
func TestFoldedSeparators(t *testing.T) {
	rec := Recording{
		Workers: func() []string { return []string{"a;b"} },
		Events: given(
			scope(0, "x;y", "p\nq 3", 0, 10),
			scope(0, "x:y", "p\nq 3", 10, 15),
		),
	}
	got := string(writtenBy(t, writeFolded, rec))
	if want := "a:b;x:y p\\nq 3 15\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStacksAreSummed(t *testing.T) {
	rec := func() Recording {
		return Recording{Events: given(
			scope(0, "in", "", 1, 4), scope(0, "out", "", 0, 10),
			scope(0, "in", "", 12, 13), scope(0, "out", "", 10, 20),
			scope(1, "in", "", 5, 7), scope(1, "out", "", 0, 10),
		)}
	}
	folded := readFolded(t, writtenBy(t, writeFolded, rec()))
	want := map[string]int64{"worker 0;out": 16, "worker 0;out;in": 4, "worker 1;out": 8, "worker 1;out;in": 2}
	if !maps.Equal(folded, want) {
		t.Errorf("folded: got %v, want %v", folded, want)
	}
	p := readPprof(t, writtenBy(t, writePprof, rec()))
	wantSamples := map[string][2]int64{"out": {3, 24}, "in<out": {3, 6}}
	if got := samplesOf(p); !maps.Equal(got, wantSamples) || len(p.Sample) != len(wantSamples) {
		t.Errorf("pprof: got %v in %d samples, want %v", got, len(p.Sample), wantSamples)
	}
}

// samplesOf returns the samples of a profile by key. The key is the stack, leaf first, followed by
// the detail.
func samplesOf(p *profile.Profile) map[string][2]int64 {
	samples := map[string][2]int64{}
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			names = append(names, l.Line[0].Function.Name)
		}
		key := strings.Join(names, "<")
		for _, detail := range s.Label["detail"] {
			key += " @" + detail
		}
		samples[key] = [2]int64{samples[key][0] + s.Value[0], samples[key][1] + s.Value[1]}
	}
	return samples
}

func TestPprof(t *testing.T) {
	p := readPprof(t, writtenBy(t, writePprof, kitchen()))
	want := map[string][2]int64{
		"cook":                                      {1, 1300},
		"cook/asset<cook @materials/wall.toml":      {1, 100},
		"cook/asset @textures/wall.png":             {1, 10},
		"cook/read<cook/asset @textures/wall.png":   {1, 60},
		"cook/encode<cook/asset @textures/wall.png": {1, 1000},
	}
	if got := samplesOf(p); !maps.Equal(got, want) {
		t.Errorf("samples %v, want %v", got, want)
	}
	var types []string
	for _, v := range p.SampleType {
		types = append(types, v.Type+"/"+v.Unit)
	}
	if want := []string{"calls/count", "time/nanoseconds"}; !slices.Equal(types, want) || p.DefaultSampleType != "time" {
		t.Errorf("types %v, %s first", types, p.DefaultSampleType)
	}
	if p.TimeNanos != kitchen().Start.UnixNano() || p.DurationNanos != 1400 {
		t.Errorf("began %d, took %d", p.TimeNanos, p.DurationNanos)
	}
	if want := []string{"12 events are missing"}; !slices.Equal(p.Comments, want) {
		t.Errorf("comments %q", p.Comments)
	}
}

func TestPprofInnermostDetail(t *testing.T) {
	rec := Recording{Events: given(
		scope(0, "c", "", 2, 3), scope(0, "b", "inner", 1, 5), scope(0, "d", "", 6, 7), scope(0, "a", "outer", 0, 9),
	)}
	got := samplesOf(readPprof(t, writtenBy(t, writePprof, rec)))
	want := map[string][2]int64{
		"c<b<a @inner": {1, 1}, "b<a @inner": {1, 3}, "d<a @outer": {1, 1}, "a @outer": {1, 4},
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The length must be the length of the recording, even if the last event is a counter.
func TestPprofLength(t *testing.T) {
	rec := Recording{Events: given(scope(0, "a", "", 0, 9), amount(events.Value, 0, "v", 30, 1))}
	if got := readPprof(t, writtenBy(t, writePprof, rec)).DurationNanos; got != 30 {
		t.Errorf("length %d, want 30", got)
	}
}

// TestPprofTool reads a profile with go tool pprof.
func TestPprofTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cook.pprof")
	if err := os.WriteFile(file, writtenBy(t, writePprof, kitchen()), 0o666); err != nil {
		t.Fatal(err)
	}
	tool := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"tool", "pprof", "-symbolize=none"}, append(args, file)...)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	flat := map[string]string{}
	for line := range strings.Lines(tool("-top", "-unit=ns", "-nodefraction=0")) {
		if f := strings.Fields(line); len(f) == 6 && strings.HasSuffix(f[0], "ns") {
			flat[f[5]] = f[0] + " of " + f[3]
		}
	}
	want := map[string]string{
		"cook": "1300ns of 1400ns", "cook/asset": "110ns of 1170ns", "cook/read": "60ns of 60ns", "cook/encode": "1000ns of 1000ns",
	}
	if !maps.Equal(flat, want) {
		t.Errorf("-top says %v, want %v", flat, want)
	}
	raw := strings.Join(strings.Fields(tool("-raw")), " ")
	for _, part := range []string{"calls/count time/nanoseconds[dflt]", fmt.Sprintf("detail:[%s]", "textures/wall.png")} {
		if !strings.Contains(raw, part) {
			t.Errorf("-raw does not say %q: %s", part, raw)
		}
	}
}
