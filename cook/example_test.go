package cook_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// Upper is a recipe that converts text to uppercase.
type Upper struct {
	Suffix string `toml:"suffix" doc:"text put after the last line"`
}

func (u *Upper) Outputs() []string { return []string{"{path}"} }

func (u *Upper) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	return job.Write(0, append(bytes.ToUpper(text), u.Suffix...))
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	assets := filepath.Join(dir, "assets")
	os.Mkdir(assets, 0o777)
	os.WriteFile(filepath.Join(assets, "sign.txt"), []byte("exit"), 0o666)
	os.WriteFile(filepath.Join(assets, "cook.toml"), []byte("[[rule]]\nmatch = \"*.txt\"\nrecipe = \"upper\"\nsuffix = \"!\""), 0o666)

	summary, err := oracle.Run{
		Dir:   assets,
		Cache: filepath.Join(dir, "store"),
		Recipes: []recipe.Recipe{{
			Name: "upper", Version: 1,
			New: func() recipe.Cooker { return &Upper{} },
		}},
	}.Cook(context.Background())
	sign, _ := os.ReadFile(filepath.Join(dir, "cooked", "sign.txt"))
	fmt.Println(summary.Cooked.Assets, string(sign), err)
	// Output: 1 EXIT! <nil>
}
