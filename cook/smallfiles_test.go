package cook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A scribe is a recipe with four outputs, which it writes at the same time. Then it appends to the
// last output under its file name, as a program would.
type scribe struct{}

func (*scribe) Outputs() []string { return []string{"{path}.0", "{path}.1", "{path}.2", "{path}.3"} }

func (*scribe) Cook(_ context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, job.Outputs())
	for i := range errs {
		all.Go(func() { errs[i] = job.Write(i, fmt.Appendf(nil, "%d %s", i, data)) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	f, err := os.OpenFile(job.OutputFile(3), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(" and more")
	return err
}

// TestWrittenOutputsHaveTheirChecksums checks the checksums of outputs that a recipe writes from
// memory, and of an output that changes afterwards.
func TestWrittenOutputsHaveTheirChecksums(t *testing.T) {
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{{Name: "scribe", Version: 1, New: func() recipe.Cooker { return &scribe{} }}}
	p.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"scribe\"\n")
	long := strings.Repeat("long ", 100_000)
	p.write("a/short.txt", "text")
	p.write("a/long.txt", long)
	p.write("b/empty.txt", "")
	p.cookAll()
	for name, text := range map[string]string{"a/short": "text", "a/long": long, "b/empty": ""} {
		for i := range 4 {
			want := fmt.Sprintf("%d %s", i, text)
			if i == 3 {
				want += " and more"
			}
			got, err := os.ReadFile(p.path(fmt.Sprintf("cooked/%s.txt.%d", name, i)))
			if err != nil || string(got) != want {
				t.Errorf("%s.txt.%d: %.20q, %v, want %.20q", name, i, got, err, want)
			}
		}
	}
	p.tick()
	p.run.Verify = true // reads all outputs
	if s := p.cook(); s.UpToDate() != 3 {
		t.Errorf("%s, want all outputs to have the recorded checksums", s.String())
	}
}

// A reader is a recipe that reads its source in several ways, and copies it.
type reader struct{}

func (*reader) Outputs() []string { return []string{"{path}"} }

func (*reader) Cook(_ context.Context, job *recipe.Job) error {
	var copies [][]byte
	for range 2 {
		f, err := job.Open()
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Size() != job.Size() || !info.Mode().IsRegular() || info.ModTime().IsZero() {
			return fmt.Errorf("stat: %d bytes, %v, %v", info.Size(), info.Mode(), info.ModTime())
		}
		data, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		at := make([]byte, len(data))
		if n, err := f.(io.ReaderAt).ReadAt(at, 0); n != len(data) || err != nil && err != io.EOF || !bytes.Equal(at, data) {
			return fmt.Errorf("read at: %d bytes, %w", n, err)
		}
		if _, err := f.(io.Seeker).Seek(int64(len(data)/2), io.SeekStart); err != nil {
			return err
		}
		half, err := io.ReadAll(f)
		if err != nil || !bytes.Equal(half, data[len(data)/2:]) {
			return fmt.Errorf("read after seek: %d bytes, %w", len(half), err)
		}
		if err := f.Close(); err != nil {
			return err
		}
		copies = append(copies, data)
	}
	if !bytes.Equal(copies[0], copies[1]) {
		return fs.ErrInvalid
	}
	return job.Write(0, copies[1])
}

// TestSmallSourcesReadAsFiles checks that a recipe cannot distinguish a source in memory from an open
// file: around the largest size that is read into memory, and for a symbolic link.
func TestSmallSourcesReadAsFiles(t *testing.T) {
	p := newProject(t)
	p.run.Recipes = []recipe.Recipe{{Name: "reader", Version: 1, New: func() recipe.Cooker { return &reader{} }}}
	p.write("cook.toml", "[[rule]]\nmatch = \"*.txt\"\nrecipe = \"reader\"\n")
	want := map[string]string{}
	for _, size := range []int{0, 1, 511, recipe.HeadSize - 1, recipe.HeadSize, recipe.HeadSize + 1, 300_000} {
		name, text := fmt.Sprintf("dir/%d.txt", size), strings.Repeat("0123456789", size/10+1)[:size]
		p.write(name, text)
		want[name] = text
	}
	if err := os.Symlink("511.txt", p.asset("dir/link.txt")); err == nil {
		want["dir/link.txt"] = want["dir/511.txt"]
	}
	p.cookAll()
	for name, text := range want {
		got, err := os.ReadFile(p.path("cooked/" + name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(text))
		}
	}
}
