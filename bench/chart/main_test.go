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
	} {
		var out, errs bytes.Buffer
		if code := run(args, bytes.NewReader(input), &out, &errs); code != 0 {
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
	if code := run([]string{"-out", name}, strings.NewReader(in), &out, &errs); code != 0 || out.Len() > 0 {
		t.Fatalf("exit %d, %q: %s", code, &out, &errs)
	}
	if page, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(page), "<svg") {
		t.Errorf("%q, %v", page, err)
	}
	for _, out := range []string{t.TempDir(), filepath.Join(name, "below-a-file")} {
		if code := run([]string{"-out", out}, strings.NewReader(in), io.Discard, &errs); code != 1 {
			t.Errorf("-out %s: exit %d, want 1", out, code)
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
		{"two kinds", ok + "BenchmarkX/poly=q/impl=a/size=1-8 1 1 ns/op 5 MB/s\n", nil, 1, "another kind"},
		{"size 0", "BenchmarkX/impl=a/size=0 1 1 ns/op 5 MB/s\n", nil, 1, "size"},
		{"rate 0", "BenchmarkX/impl=a/size=1 1 1 ns/op 0 MB/s\n", nil, 1, "range"},
		{"no number", "BenchmarkX/impl=a/size=1 1 1 ns/op NaN MB/s\n", nil, 1, "range"},
		{"text", "BenchmarkX/impl=a/size=1 1 1 ns/op fast MB/s\n", nil, 1, "fast"},
		{"long line", strings.Repeat("x", 2*maxLine), nil, 1, "read"},
		{"nine lines", nine, nil, 1, "told apart"},
		{"argument", ok, []string{"file"}, 2, "unexpected"},
		{"flag", ok, []string{"-no"}, 2, "not defined"},
	} {
		var errs bytes.Buffer
		if code := run(tt.args, strings.NewReader(tt.in), io.Discard, &errs); code != tt.code {
			t.Errorf("%s: exit %d, want %d", tt.name, code, tt.code)
		}
		if !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.name, &errs, tt.want)
		}
	}
}

// FuzzChart: any input gives well-formed XML or a refusal.
func FuzzChart(f *testing.F) {
	f.Add("BenchmarkX/impl=a/size=1-8 1 1 ns/op 5 MB/s\ncpu: \x01<&\n", "t<", false)
	f.Add("BenchmarkX/impl=\xff]]>/size=1-8 1 1 ns/op 5 MB/s\n", "\x00", true)
	f.Fuzz(func(t *testing.T, in, title string, log bool) {
		r, err := parse(strings.NewReader(in), "impl")
		if err != nil {
			return
		}
		r.markdown("impl")
		page, err := r.svg(title, log)
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
			t.Fatalf("a place is no number in\n%s", page)
		}
	})
}
