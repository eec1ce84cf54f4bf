package recipe_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Shout is a recipe that converts text to uppercase. Rules can set its field as an option.
type Shout struct {
	Marks int `toml:"marks" min:"0" max:"9" doc:"exclamation marks put after the text"`
}

// Outputs returns the name template of the file that Cook writes.
func (s *Shout) Outputs() []string { return []string{"{stem}.shout"} }

// Cook reads the source and writes the output.
func (s *Shout) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	return job.Write(0, append(bytes.ToUpper(text), bytes.Repeat([]byte("!"), s.Marks)...))
}

// This recipe needs memory of twice the size of its source, and cooks files called *.whisper.
func ExampleRecipe() {
	shout := recipe.Recipe{
		Name: "shout", Version: 1, Extensions: []string{".whisper"},
		New: func() recipe.Cooker { return &Shout{Marks: 1} },
		Traits: func(c recipe.Cooker) recipe.Traits {
			return recipe.Traits{Estimate: func(head []byte, size int64) (int64, error) {
				return 2*size + int64(c.(*Shout).Marks), nil
			}}
		},
	}
	fmt.Println(shout.Name, shout.New().Outputs())
	// Output: shout [{stem}.shout]
}
