// Meshes cooks models with the recipe "mesh" for a reader that is not ours.
//
//	go run ./bench/readers/meshes [-set key=value] out-dir model...
//
// It writes out-dir/0000.glb and so on and prints for each its model. Models that are
// refused are printed with the reason and are no failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/mesh"
)

func main() {
	cooker := mesh.Recipe().New()
	flag.Func("set", "`key=value` of an option", func(s string) error {
		key, text, _ := strings.Cut(s, "=")
		return recipe.SetOption(cooker, key, parse(text))
	})
	explain := flag.Bool("explain", false, "print what is made of each model, and write nothing")
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	for i, model := range flag.Args()[1:] {
		out := filepath.Join(flag.Arg(0), fmt.Sprintf("%04d.glb", i))
		lines, err := cook(cooker, model, out, *explain)
		if err != nil {
			fmt.Printf("refused  %s: %v\n", model, err)
			continue
		}
		fmt.Printf("%s %s\n", filepath.Base(out), model)
		for _, l := range lines {
			fmt.Println("    " + l)
		}
	}
}

// parse reads an option's value as TOML would.
func parse(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

func cook(cooker recipe.Cooker, model, out string, explain bool) ([]string, error) {
	tree := os.DirFS(filepath.Dir(model))
	path := filepath.Base(model)
	info, err := fs.Stat(tree, path)
	if err != nil {
		return nil, err
	}
	job := recipe.NewJob(recipe.Env{
		Recipe: mesh.Recipe(), Path: path, Outputs: []string{out},
		Open:   tree.Open,
		Stat:   func(p string) (fs.FileInfo, error) { return fs.Stat(tree, p) },
		Create: func(int) (*os.File, error) { return os.Create(out) },
	}, info.Size())
	if explain {
		return cooker.(recipe.Explainer).Explain(context.Background(), job)
	}
	return nil, cooker.Cook(context.Background(), job)
}
