package cli_test

import (
	"bytes"
	"context"

	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes"
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

// This program is a cook command with an additional recipe.
func ExampleMain() {
	cli.Main(append(recipes.All(), recipe.Recipe{
		Name: "upper", Version: 1, Extensions: []string{".shout"},
		New: func() recipe.Cooker { return &Upper{} },
	})...)
}

func init() { cli.Commands["studio"] = ExampleMain }
