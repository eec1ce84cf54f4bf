package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes a fake suite and returns its parent directory.
func folder(t *testing.T, suite string, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		file := filepath.Join(dir, suite, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// table runs one suite in dir and returns the rows of its table, without the suite's name.
func table(t *testing.T, dir, suite string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := runSuites(t.Context(), suites, []string{"-suites", dir, suite}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var rows []string
	for line := range strings.Lines(out.String()) {
		if row, ok := strings.CutPrefix(strings.TrimSpace(line), "| "+suite+" | "); ok {
			rows = append(rows, strings.TrimSuffix(row, " |"))
		}
	}
	return strings.Join(rows, "\n")
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../internal/audio", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Each fake suite has files with different verdicts. The numbers in a row are: files, right,
// rightly refused, mended, wrongly refused, wrong, unjudged; see verdict.
func TestSuitesGiveVerdicts(t *testing.T) {
	flac, mp3 := read(t, "flac/testdata/tri16.flac"), read(t, "mp3/testdata/stereo.mp3")
	for _, c := range []struct {
		suite   string
		content map[string]string
		want    string
	}{
		{"JSONTestSuite", map[string]string{
			"test_parsing/y_right.json":   `{"a": [1.50, "\u0041"]}`,
			"test_parsing/y_refused.json": `[`,
			"test_parsing/n_refused.json": `[1,]`,
			"test_parsing/n_wrong.json":   `[1]`,
			"test_parsing/i_right.json":   `[1e400]`,
			"test_parsing/i_refused.json": "[\"\xff\"]",
		}, "recipe json | 6 | 2 | 2 | 0 | 1 | 1 | 0\nrecipe data | 6 | 2 | 2 | 0 | 1 | 1 | 0"},
		{"yaml-test-suite", map[string]string{
			"A/in.yaml": "a: 1", "A/in.json": `{"a": 1.0}`, // these values are equal as numbers
			"B/in.yaml": "a: 1", "B/in.json": `{"a": 2}`,
			"C/in.yaml": "a: [", "C/error": "",
			"D/in.yaml": "a: 1", "D/error": "",
			"E/in.yaml": "a: [", "E/in.json": `{}`,
			"F/in.yaml": "a: 1",
			"G/in.yaml": "--- 1\n--- 2\n", "G/in.json": "1 2",
			"H/in.yaml": "--- 1\n--- 2\n", "H/in.json": "1",
			"I/in.yaml": "a: [x, 1.5]", "I/in.json": `{"a": ["y", 1.5]}`,
			"J/in.yaml": "a: 1.5", "J/in.json": `{"a": 1.25}`,
			"K/in.yaml": "a: 1.5", "K/in.json": `{"b": 1.5}`,
		}, "YAML | 11 | 2 | 1 | 0 | 1 | 6 | 1"},
		{"toml-test", map[string]string{
			"tests/files-toml-1.0.0": "valid/a.toml\nvalid/a.json\nvalid/b.toml\nvalid/c.toml\nvalid/d.toml\ninvalid/e.toml\ninvalid/f.toml\n",
			"tests/valid/a.toml":     "t = 1987-07-05 17:45:00.50Z\ni = 0x10",
			"tests/valid/a.json":     `{"t": {"type": "datetime", "value": "1987-07-05T17:45:00.5Z"}, "i": {"type": "integer", "value": "16"}}`,
			"tests/valid/b.toml":     "t = 1987-07-05",
			"tests/valid/b.json":     `{"t": {"type": "date-local", "value": "1987-07-06"}}`,
			"tests/valid/c.toml":     "x = inf",
			"tests/valid/c.json":     `{"x": {"type": "float", "value": "inf"}}`,
			"tests/valid/d.toml":     "x = ",
			"tests/valid/d.json":     `{"x": {"type": "string", "value": ""}}`,
			"tests/invalid/e.toml":   "x = ",
			"tests/invalid/f.toml":   "x = 1",
		}, "TOML 1.0 | 6 | 1 | 2 | 0 | 1 | 2 | 0"},
		{"JSON-Schema-Test-Suite", map[string]string{
			"remotes/int.json": `{"type": "integer"}`,
			"tests/draft7/a.json": `[{"description": "a", "schema": {"$ref": "http://localhost:1234/int.json"}, "tests": [
				{"data": 1, "valid": true}, {"data": "x", "valid": false}, {"data": 1, "valid": false}, {"data": "x", "valid": true}]},
				{"description": "b", "schema": {"$ref": "http://localhost:1234/none.json"}, "tests": [
				{"data": 1, "valid": true}, {"data": 1, "valid": false}]}]`,
		}, "draft7 | 6 | 1 | 1 | 0 | 3 | 1 | 0"},
		{"glTF-Validator", map[string]string{
			"test/a.gltf": `{"asset": {"version": "2.0"}}`, "test/a.gltf.report.json": `{"issues": {"numErrors": 0}}`,
			"test/b.gltf": `{"asset": {"version": "2.0"}}`, "test/b.gltf.report.json": `{"issues": {"numErrors": 1}}`,
			"test/c.gltf": `{"asset": {"version": "9"}}`, "test/c.gltf.report.json": `{"issues": {"numErrors": 1}}`,
			"test/d.gltf": `{"asset": {"version": "9"}}`, "test/d.gltf.report.json": `{"issues": {"numErrors": 0}}`,
			"test/e.gltf": `{"asset": {"version": "2.0"}}`,
			"test/f.gltf": `{"asset": {"version": "2.0"}, "nodes": []}`, "test/f.gltf.report.json": gltfErrors("EMPTY_ENTITY"),
			"test/g.gltf": `{"asset": {"version": "2.0"}, "nodes": []}`, "test/g.gltf.report.json": gltfErrors("EMPTY_ENTITY", "UNRESOLVED_REFERENCE"),
			"test/h.gltf": `{"asset": {"version": "2.0"}, "nodes": []}`, "test/h.gltf.report.json": gltfErrors(),
		}, "recipe gltf | 7 | 1 | 4 | 0 | 1 | 1 | 0\nrecipe mesh | 7 | 1 | 1 | 1 | 1 | 3 | 0"},
		{"flac-test-files", map[string]string{
			"subset/a.flac": flac, "subset/b.flac": flac[:len(flac)/2], "faulty/c.flac": flac[:len(flac)/2],
			"uncommon/d.flac": flac[:26] + strings.Repeat("\x00", 16) + flac[42:],
		}, "FLAC, faulty | 1 | 0 | 1 | 0 | 0 | 0 | 0\nFLAC, subset | 2 | 1 | 0 | 0 | 1 | 0 | 0\nFLAC, uncommon | 1 | 0 | 0 | 0 | 0 | 0 | 1"},
		{"minimp3", map[string]string{
			"vectors/l3-a.bit": mp3, "vectors/l3-a.pcm": pcm(t, mp3, 0),
			"vectors/l3-b.bit": mp3, "vectors/l3-b.pcm": pcm(t, mp3, 3),
			"vectors/l3-c.bit": "no sound", "vectors/l3-c.pcm": "",
			"vectors/l1-d.bit": "no sound", "vectors/l1-d.pcm": "",
			"vectors/fuzz/l3-e.mp3": mp3,
		}, "MP3, nonstandard | 1 | 0 | 0 | 0 | 0 | 0 | 1\nMPEG Layer I and II | 1 | 0 | 1 | 0 | 0 | 0 | 0\nMP3 | 3 | 1 | 0 | 0 | 1 | 1 | 0"},
		{"bmpsuite", map[string]string{
			"html/bmpsuite.html": `<tr><td><img src="red.png"> or <img src="blue.png"><td><img src="../g/red.bmp">
				</tr><tr><td><img src="blue.png"><td><img class=x src="../q/red.bmp"></tr>`,
			"html/red.png": onePNG(t, color.NRGBA{255, 0, 0, 255}), "html/blue.png": onePNG(t, color.NRGBA{0, 0, 255, 255}),
			"g/red.bmp": redBMP, "g/short.bmp": redBMP[:20], "b/red.bmp": redBMP, "b/short.bmp": redBMP[:20],
		}, "BMP, good | 2 | 1 | 0 | 0 | 1 | 0 | 0\nBMP, bad | 2 | 0 | 1 | 0 | 0 | 1 | 0"},
	} {
		t.Run(c.suite, func(t *testing.T) {
			if got := table(t, folder(t, c.suite, c.content), c.suite); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// gltfErrors returns a report of the validator with errors of the given kinds and a hint.
func gltfErrors(codes ...string) string {
	list := []string{`{"code": "UNUSED_OBJECT", "severity": 3}`}
	for _, c := range codes {
		list = append(list, `{"code": "`+c+`", "severity": 0}`)
	}
	return `{"issues": {"numErrors": 1, "messages": [` + strings.Join(list, ",") + `]}}`
}

// pcm decodes a sound to 16-bit samples and adds off to one of them.
func pcm(t *testing.T, data string, off int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sound")
	if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := decodeWithOurs(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for i, v := range s.samples {
		n := int(math.RoundToEven(float64(min(max(v, -1), 1-step16)) / step16))
		if i == len(s.samples)/2 {
			n += off
		}
		out = append(out, byte(n), byte(n>>8))
	}
	return string(out)
}

// redBMP is a 24-bit BMP file with one red pixel.
const redBMP = "BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00" +
	"\x28\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00\x00\x00\x00\x00\x04\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\xff\x00"

func onePNG(t *testing.T, c color.Color) string {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	m.Set(0, 0, c)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJudgeComparesOutcomeWithExpectation(t *testing.T) {
	no := errors.New("no")
	for _, c := range []struct {
		o    outcome
		want verdict
	}{
		{outcome{}, right},
		{outcome{refusal: no}, wronglyRefused},
		{outcome{difference: "d"}, wrong},
		{outcome{noReference: "n"}, unjudged},
		{outcome{difference: "d", noReference: "n"}, wrong},
		{outcome{expect: mustRefuse}, wrong},
		{outcome{expect: mustRefuse, warning: "w"}, mended},
		{outcome{expect: mustRefuse, warning: "w", refusal: no}, rightlyRefused},
		{outcome{difference: "d", warning: "w"}, wrong},
		{outcome{expect: mustRefuse, refusal: no}, rightlyRefused},
		{outcome{expect: mayRefuse}, right},
		{outcome{expect: mayRefuse, refusal: no}, rightlyRefused},
		{outcome{expect: mayRefuse, difference: "d"}, wrong},
	} {
		if got, why := c.o.judgeOutcome(); got != c.want || (why == "") != (got == right) {
			t.Errorf("%+v: %v %q, want %v", c.o, got, why, c.want)
		}
	}
}

func TestExitStatusOfSuites(t *testing.T) {
	broken := suite{name: "broken", trials: func(string) ([]trial, error) {
		return []trial{{row: "r", file: "panics", run: func(context.Context) (outcome, error) { panic("p") }}}, nil
	}}
	empty := suite{name: "empty", trials: func(string) ([]trial, error) { return nil, nil }}
	untestable := suite{name: "untestable", trials: func(string) ([]trial, error) {
		return []trial{{file: "f", run: func(context.Context) (outcome, error) { return outcome{}, errors.New("no program") }}}, nil
	}}
	dir := t.TempDir()
	for _, name := range []string{"broken", "empty", "untestable"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	all := []suite{broken, empty, untestable, {name: "missing"}}
	for _, c := range []struct {
		args           []string
		status         int
		stdout, stderr string
	}{
		{[]string{"-suites", dir, "broken"}, 0, "| broken | r | 1 | 0 | 0 | 0 | 0 | 1 | 0 |", ""},
		{[]string{"-suites", dir, "-v", "broken"}, 0, "`panics`: panic: p", ""},
		{[]string{"-suites", dir, "missing"}, 0, "| all |  | 0 |", "missing skipped"},
		{[]string{"-suites", dir, "empty"}, 1, "", "no test file"},
		{[]string{"-suites", dir, "untestable"}, 1, "", "f: no program"},
		{[]string{"-suites", dir, "unknown"}, 2, "", `no suite "unknown"`},
		{nil, 2, "", "-suites is needed"},
	} {
		var out, errs bytes.Buffer
		status := runSuites(t.Context(), all, c.args, &out, &errs)
		if status != c.status || !strings.Contains(out.String(), c.stdout) || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%q: status %d, output\n%s%s", c.args, status, out.String(), errs.String())
		}
	}
}

// An image that differs from the suite's references and from the output of all viewers is wrong.
func TestPictureMustEqualOneReference(t *testing.T) {
	dir := folder(t, ".", map[string]string{
		"a.bmp": redBMP, "red.png": onePNG(t, color.NRGBA{255, 0, 0, 255}), "pale.png": onePNG(t, color.NRGBA{253, 0, 0, 255}),
	})
	for want, references := range map[verdict][]string{right: {"pale.png", "red.png"}, wrong: {"pale.png"}} {
		o, err := pictureTrial(dir, "a.bmp", ruling{known: true, references: references}, nil).run(t.Context())
		if got, why := o.judgeOutcome(); err != nil || got != want {
			t.Errorf("%q: verdict %d %q %v, want %d", references, got, why, err, want)
		}
	}
}

func TestPictureDiffersBeyondTolerance(t *testing.T) {
	one := func(r, g, b, a float32) picture { return picture{1, 1, []float32{257 * r, 257 * g, 257 * b, 257 * a}} }
	for _, c := range []struct {
		got, want picture
		t         pictureTolerance
		same      bool
	}{
		{one(1, 2, 3, 255), one(1, 2, 3, 255), pictureTolerance{}, true},
		{one(1, 2, 4, 255), one(1, 2, 3, 255), pictureTolerance{}, false},
		{one(1, 2, 3, 254), one(1, 2, 3, 255), pictureTolerance{}, false},
		{one(1, 2, 4, 255), one(1, 2, 3, 255), pictureTolerance{most: 1, mean: 1}, true},
		{one(1, 2, 4, 255), one(1, 2, 3, 255), pictureTolerance{most: 1, mean: 0.5}, false},
		{one(1, 2, 5, 255), one(1, 2, 3, 255), pictureTolerance{most: 1, mean: 9}, false},
		{one(1, 2, 3, 0), one(4, 5, 6, 0), pictureTolerance{}, true},
		{one(1, 2, 3, 0), one(4, 5, 6, 255), pictureTolerance{}, false},
		{one(510, 0, 0, 255), one(511, 0, 0, 255), pictureTolerance{most: 0.6, mean: 1}, true}, // differences are relative above 1.0
		{one(0, 0, 0, 0), picture{2, 1, make([]float32, 8)}, pictureTolerance{}, false},
	} {
		if d := c.got.imagesDiffer(c.want, c.t); (d == "") != c.same {
			t.Errorf("%v and %v within %v: %q", c.got, c.want, c.t, d)
		}
	}
}

func TestSoundDiffersBeyondTolerance(t *testing.T) {
	want := sound{44100, 2, []float32{0, 0.5, -1, 1 - step16}}
	with := func(rate, channels int, samples ...float32) sound { return sound{rate, channels, samples} }
	within := soundTolerance{most: step16, rms: step16, clips: true, tail: 1}
	for _, c := range []struct {
		got  sound
		t    soundTolerance
		same bool
	}{
		{with(44100, 2, 0, 0.5, -1, 1-step16), exactTolerance, true},
		{with(44100, 2, step16, 0.5, -1.5, 1.5), within, true},
		{with(44100, 2, 0, 0.5, -1.5, 1-step16), exactTolerance, false},
		{with(44100, 2, 2*step16, 0.5, -1, 1-step16), within, false},
		{with(44100, 2, 0, 0.5, -1), within, false},
		{with(44100, 2, 0, 0.5, -1, 1-step16, 9, 9), within, true}, // the reference lacks the end of the sound
		{with(44100, 2, 0, 0.5, -1, 1-step16, 9, 9, 9, 9), within, false},
		{with(44100, 2, 0, 0.5, -1, 1-step16, 9, 9), exactTolerance, false},
		{with(48000, 2, 0, 0.5, -1, 1-step16), within, false},
		{with(44100, 1, 0, 0.5, -1, 1-step16), within, false},
	} {
		if d := c.got.soundsDiffer(want, c.t); (d == "") != c.same {
			t.Errorf("%v within %v: %q", c.got, c.t, d)
		}
	}
}

// Our decoder refuses a file with a wrong MD5 sum, so the test changes a decoded sample instead.
func TestSamplesAreComparedWithMD5(t *testing.T) {
	data := read(t, "flac/testdata/tri24.flac")
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := decodeWithOurs(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if d, n := compareMD5([]byte(data), s); d != "" || n != "" {
		t.Errorf("the same samples: %q, %q", d, n)
	}
	s.samples[7] += 1.0 / (1 << 23)
	if d, n := compareMD5([]byte(data), s); d == "" || n != "" {
		t.Errorf("another sample: %q, %q", d, n)
	}
}

// The test uses cat and sh as the reference programs.
func TestReferenceProgramsDecide(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := folder(t, ".", map[string]string{
		"a.wav":   read(t, "wav/testdata/ff_s16le.wav"),
		"b.wav":   read(t, "wav/testdata/ff_f32le.wav"),
		"c.wav":   read(t, "wav/testdata/ff_s16le.wav")[:60] + strings.Repeat("\x00", 2000),
		"d.wav":   read(t, "wav/testdata/ff_s16le.wav")[:40] + "\x08\x00\x00\x00" + read(t, "wav/testdata/ff_s16le.wav")[44:],
		"bad.wav": "RIFF", "fuzz/bad.wav": "RIFF",
		"one.pam": "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\x80\xff",
		"two.pam": "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 65535\nENDHDR\n\x80\x80\x80\x80\x80\x80",
		"f.pfm":   "PF\n1 2\n1.0\n\x3f\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	})
	cat := []string{"cat", "FILE"}
	other := func(name string) []string { return []string{"cat", filepath.Join(dir, name)} }
	complaining := []string{"sh", "-c", `echo hm "$0" >&2; cat "$0"`, "FILE"}
	for _, c := range []struct {
		name    string
		program []string
		want    verdict
	}{
		{"a.wav", cat, right},
		{"b.wav", cat, right},
		{"a.wav", other("c.wav"), wrong},
		{"a.wav", other("d.wav"), right}, // the header declares fewer samples
		{"a.wav", complaining, right},
		{"a.wav", []string{"sh", "-c", "echo hm >&2; cat $0", filepath.Join(dir, "c.wav")}, unjudged},
		{"a.wav", []string{"false"}, unjudged},
		{"a.wav", []string{"sh", "-c", `cat "$0"; exit 3`, filepath.Join(dir, "c.wav")}, unjudged},
		{"bad.wav", other("a.wav"), wronglyRefused},
		{"bad.wav", cat, rightlyRefused},
		{"fuzz/bad.wav", other("a.wav"), rightlyRefused},
	} {
		o, err := soundTrial(dir, "", c.name, exactTolerance, c.program).run(t.Context())
		if got, why := o.judgeOutcome(); err != nil || got != c.want {
			t.Errorf("%s by %q: verdict %d %q %v, want %d", c.name, c.program, got, why, err, c.want)
		}
	}
	if _, err := soundTrial(dir, "", "a.wav", exactTolerance, []string{"no-such-program"}).run(t.Context()); err == nil {
		t.Error("a missing program is no error")
	}

	gray := picture{1, 1, []float32{0x8080, 0x8080, 0x8080, 65535}}
	black := picture{1, 1, []float32{0, 0, 0, 65535}}
	for _, c := range []struct {
		got     picture
		refusal error
		viewers []string
		want    verdict
	}{
		{gray, nil, []string{"one.pam"}, right},
		{gray, nil, []string{"two.pam"}, right},
		{black, nil, []string{"one.pam", "two.pam"}, wrong},
		{gray, nil, []string{"f.pfm", "one.pam"}, right}, // the output of the second viewer agrees
		{gray, nil, []string{"a.wav"}, unjudged},
		{picture{}, errors.New("no"), []string{"one.pam"}, wronglyRefused},
		{picture{}, errors.New("no"), []string{"a.wav"}, rightlyRefused},
		{picture{1, 2, []float32{131070, 0, 0, 65535, 65535, 0, 0, 65535}}, nil, []string{"f.pfm"}, right},
	} {
		var list [][]string
		for _, v := range c.viewers {
			list = append(list, other(v))
		}
		o := outcome{expect: unsaid.expect, refusal: c.refusal}
		err := unsaid.askViewers(t.Context(), &o, c.got, "", list, pictureTolerance{})
		if got, why := o.judgeOutcome(); err != nil || got != c.want {
			t.Errorf("%v by %q: verdict %d %q %v, want %d", c.got, c.viewers, got, why, err, c.want)
		}
	}
}

// Every suite has an address, and names are unique.
func TestEverySuiteHasAddressAndUniqueName(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range suites {
		if seen[s.name] || s.from == "" || s.trials == nil {
			t.Errorf("suite %q", s.name)
		}
		seen[s.name] = true
		if address, ok := strings.CutPrefix(s.from, "git clone "); ok && !strings.Contains(fmt.Sprint(address, " "), s.name) {
			t.Errorf("%s: a clone of %s has another name", s.name, address)
		}
	}
}
