package rules

import (
	"context"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// The recipes of these tests cook nothing; the tests use only their options.

type fakeImage struct {
	SRGB    bool `toml:"srgb"`
	Quality int  `toml:"quality" min:"1" max:"9"`
	MaxSize int  `toml:"max_size" min:"0"`
}

func (*fakeImage) Outputs() []string                       { return []string{"{path}"} }
func (*fakeImage) Cook(context.Context, *recipe.Job) error { return nil }

func (i *fakeImage) check() error {
	if i.Quality == 9 && i.MaxSize == 0 {
		return &recipe.OptionError{Key: "quality", Got: "9", Want: "at most 8 without max_size"}
	}
	return nil
}

type fakeZstd struct {
	Level   int    `toml:"level" min:"1" max:"22"`
	Quality string `toml:"quality" enum:"low,high"`
}

func (*fakeZstd) Outputs() []string                       { return []string{"{path}.zst"} }
func (*fakeZstd) Cook(context.Context, *recipe.Job) error { return nil }

type fakeCommand struct {
	Command []string          `toml:"command"`
	Env     map[string]string `toml:"env"`
}

func (*fakeCommand) Outputs() []string                       { return nil }
func (*fakeCommand) Cook(context.Context, *recipe.Job) error { return nil }

func (c *fakeCommand) check() error {
	if len(c.Command) == 0 {
		return &recipe.OptionError{Key: "command", Want: "a program and its arguments"}
	}
	return nil
}

type fakeMesh struct{}

func (*fakeMesh) Outputs() []string                       { return []string{"{path}", "{path}.bin"} }
func (*fakeMesh) Cook(context.Context, *recipe.Job) error { return nil }

type fakeJSON struct {
	Indent bool `toml:"indent"`
}

func (*fakeJSON) Outputs() []string                       { return []string{"{path}"} }
func (*fakeJSON) Cook(context.Context, *recipe.Job) error { return nil }

type fakeCopy struct{}

func (*fakeCopy) Outputs() []string                       { return []string{"{path}"} }
func (*fakeCopy) Cook(context.Context, *recipe.Job) error { return nil }

func fake(name string, fresh func() recipe.Cooker, extensions ...string) recipe.Recipe {
	return recipe.Recipe{Name: name, Version: 1, New: fresh, Extensions: extensions, Traits: func(c recipe.Cooker) (t recipe.Traits) {
		if c, ok := c.(interface{ check() error }); ok {
			t.Check = c.check
		}
		return t
	}}
}

var (
	imageFake   = fake("image", func() recipe.Cooker { return &fakeImage{SRGB: true, Quality: 5} }, ".png", ".tga", ".jpg")
	zstdFake    = fake("zstd", func() recipe.Cooker { return &fakeZstd{Level: 3} })
	commandFake = fake("command", func() recipe.Cooker { return &fakeCommand{} })
	meshFake    = fake("mesh", func() recipe.Cooker { return &fakeMesh{} }, ".glb", ".gltf")
	jsonFake    = fake("json", func() recipe.Cooker { return &fakeJSON{} }, ".json")
	copyFake    = fake("copy", func() recipe.Cooker { return &fakeCopy{} })
)

func recipes(t testing.TB, list ...recipe.Recipe) *recipeset.Set {
	t.Helper()
	if list == nil {
		list = []recipe.Recipe{imageFake, zstdFake, commandFake, meshFake, jsonFake, copyFake}
	}
	s, err := recipeset.New(list...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compile compiles one cook.toml at the root.
func compile(t testing.TB, text string) *Set {
	t.Helper()
	return compileFiles(t, File{Name: "cook.toml", Data: []byte(text)})
}

func compileFiles(t testing.TB, files ...File) *Set {
	t.Helper()
	s, err := Compile(files, recipes(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func method(t testing.TB, s *Set, path, target string) *Method {
	t.Helper()
	m, err := s.Method(path, target)
	if err != nil {
		t.Fatalf("Method(%q, %q): %v", path, target, err)
	}
	return m
}
