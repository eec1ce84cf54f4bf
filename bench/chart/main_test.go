package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestGolden(t *testing.T) {
	input, err := os.ReadFile("testdata/crc.txt")
	if err != nil {
		t.Fatal(err)
	}
	for golden, args := range map[string][]string{
		"crc.svg":     {"-title", "CRC-32 & <others>"},
		"crc-log.svg": {"-title", "CRC-32", "-log"},
		"crc.md":      {"-table"},
		"crc-ns.svg":  {"-ns", "16", "-log"},
		"crc-ns.md":   {"-table", "-ns", "16", "-quartiles", "-only", "slow-but-sure,fast"},
		"combine.md":  {"-table", "-x", "len"},
		"about.md":    {"-about"},
	} {
		var out, errs bytes.Buffer
		if code := plotResults(args, bytes.NewReader(input), &out, &errs); code != 0 {
			t.Fatalf("%s: exit %d: %s", golden, code, &errs)
		}
		name := filepath.Join("testdata", golden)
		if *update {
			if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-update writes it): -want +got\n%s", golden, diff)
		}
	}
}

func TestOut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.svg")
	in := "BenchmarkX/impl=a/size=1-8 1 1 ns/op 5 MB/s\n"
	var out, errs bytes.Buffer
	if code := plotResults([]string{"-out", name}, strings.NewReader(in), &out, &errs); code != 0 || out.Len() > 0 {
		t.Fatalf("exit %d, %q: %s", code, &out, &errs)
	}
	if page, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(page), "<svg") {
		t.Errorf("%q, %v", page, err)
	}
	for _, out := range []string{t.TempDir(), filepath.Join(name, "below-a-file")} {
		if code := plotResults([]string{"-out", out}, strings.NewReader(in), io.Discard, &errs); code != 1 {
			t.Errorf("-out %s: exit %d, want 1", out, code)
		}
	}
}

func TestFill(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	before := "# Page\n\n<!-- chart -table -ns 16 -->\nold\n<!-- chart end -->\n\ntext\n\n" +
		"<!-- chart -out line.svg -->\n![text](line.svg)\n<!-- chart end -->\n"
	if err := os.WriteFile(page, []byte(before), 0o666); err != nil {
		t.Fatal(err)
	}
	in := "BenchmarkX/impl=a/size=16-8 1 4 ns/op 4000 MB/s\nBenchmarkX/impl=a/size=1024-8 1 100 ns/op 10240 MB/s\n"
	want := strings.Replace(before, "old", "\n| impl | 16 B, ns | 1 KiB, GB/s |\n|---|---:|---:|\n| a | 4.00 | 10.2 |\n", 1)
	for range 2 {
		var errs bytes.Buffer
		if code := plotResults([]string{"-fill", page}, strings.NewReader(in), io.Discard, &errs); code != 0 {
			t.Fatalf("exit %d: %s", code, &errs)
		}
		text, err := os.ReadFile(page)
		if diff := cmp.Diff(want, string(text)); err != nil || diff != "" {
			t.Fatalf("%v; -want +got\n%s", err, diff)
		}
	}
	if picture, err := os.ReadFile(filepath.Join(dir, "line.svg")); err != nil || !strings.HasPrefix(string(picture), "<svg") {
		t.Errorf("%q, %v", picture, err)
	}
	for _, text := range []string{
		before + "<!-- chart -table -->\n",
		"<!-- chart -none -->\n<!-- chart end -->\n",
		"<!-- chart -table file -->\n<!-- chart end -->\n",
		"<!-- chart -table -only b -->\n<!-- chart end -->\n",
		"<!-- chart -fill README.md -->\n<!-- chart end -->\n",
	} {
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if code := plotResults([]string{"-fill", page}, strings.NewReader(in), io.Discard, io.Discard); code != 1 {
			t.Errorf("%q: exit %d, want 1", text, code)
		}
		if after, err := os.ReadFile(page); err != nil || string(after) != text {
			t.Errorf("a refused page changed to %q, %v", after, err)
		}
	}
}

func TestRefused(t *testing.T) {
	ok := "BenchmarkX/impl=a/size=1-8 1 1 ns/op 5 MB/s\n"
	nine := ""
	for i := range 9 {
		nine += "BenchmarkX/impl=" + string(rune('a'+i)) + "/size=1-8 1 1 ns/op 5 MB/s\n"
	}
	for _, tt := range []struct {
		name, in string
		args     []string
		code     int
		want     string
	}{
		{"nothing", "", nil, 1, "no benchmark"},
		{"no size", "BenchmarkX/impl=a-8 1 1 ns/op 5 MB/s\n", nil, 1, "no benchmark"},
		{"other key", ok, []string{"-series", "func"}, 1, "no benchmark with func="},
		{"two kinds", ok + "BenchmarkX/poly=q/impl=a/size=1-8 1 1 ns/op 5 MB/s\n", nil, 1, "a different kind"},
		{"size 0", "BenchmarkX/impl=a/size=0 1 1 ns/op 5 MB/s\n", nil, 1, "size"},
		{"rate 0", "BenchmarkX/impl=a/size=1 1 1 ns/op 0 MB/s\n", nil, 1, "range"},
		{"no number", "BenchmarkX/impl=a/size=1 1 1 ns/op NaN MB/s\n", nil, 1, "range"},
		{"text", "BenchmarkX/impl=a/size=1 1 1 ns/op fast MB/s\n", nil, 1, "fast"},
		{"long line", strings.Repeat("x", 2*maxLine), nil, 1, "read"},
		{"nine lines", nine, nil, 1, "at most 8"},
		{"argument", ok, []string{"file"}, 2, "unexpected"},
		{"unknown line", ok, []string{"-only", "a,b"}, 1, `no results for "b"`},
		{"no short input", ok, []string{"-ns", "0"}, 0, ""},
		{"only short inputs", ok, []string{"-ns", "64"}, 1, "both sides of this limit"},
		{"drawn names", "BenchmarkX/impl=a/names=1-8 1 1 ns/op\n", []string{"-x", "names"}, 1, "only sizes"},
		{"time 0", "BenchmarkX/impl=a/names=1-8 1 0 ns/op\n", []string{"-x", "names"}, 1, "range"},
		{"page without marks", ok, []string{"-fill", "testdata/crc.txt"}, 1, "no pairs"},
		{"flag", ok, []string{"-no"}, 2, "not defined"},
	} {
		var errs bytes.Buffer
		if code := plotResults(tt.args, strings.NewReader(tt.in), io.Discard, &errs); code != tt.code {
			t.Errorf("%s: exit %d, want %d", tt.name, code, tt.code)
		}
		if !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%s: %q, want a text that contains %q", tt.name, &errs, tt.want)
		}
	}
}

func FuzzChart(f *testing.F) {
	f.Add("BenchmarkX/impl=a/size=1-8 1 1 ns/op 5 MB/s\ncpu: \x01<&\n", "t<", false)
	f.Add("BenchmarkX/impl=\xff]]>/size=1-8 1 1 ns/op 5 MB/s\n", "\x00", true)
	f.Fuzz(func(t *testing.T, in, title string, log bool) {
		r, err := parse(strings.NewReader(in), "impl", sizeKey)
		if err != nil {
			return
		}
		r.markdown(&output{series: "impl", quartiles: log})
		page, err := r.svg(title, log, 0)
		if err != nil {
			return
		}
		d := xml.NewDecoder(bytes.NewReader(page))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, page)
			}
		}
		if bytes.Contains(page, []byte("NaN")) && !strings.Contains(in+title, "NaN") {
			t.Fatalf("a position is not a number in\n%s", page)
		}
	})
}

func TestPagesShowTheRecord(t *testing.T) {
	record, err := os.ReadFile("../results/hash.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"../../README.md", "../results/hashes.md", "../results/intern.md", "../results/ptrhash.md"} {
		files, err := filledPage(page, record)
		if err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for name, want := range files {
			got, err := os.ReadFile(name)
			if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
				t.Errorf("%s: %v; chart -fill <bench/results/hash.txt rewrites it: -want +got\n%s", name, err, diff)
			}
		}
	}
}
