// Subtitles is a build program with a recipe of its own: it cooks SubRip subtitles to JSON, and
// all other assets as the command cook does.
//
//	go run ./examples/subtitles assets
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: subtitles DIR")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	project := cook.Project{Dir: os.Args[1], Recipes: append(recipes.All(), subtitles)}
	if err := build(ctx, project, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// build brings the output directory of a project up to date and prints what it did.
func build(ctx context.Context, project cook.Project, out io.Writer) error {
	summary, err := cook.Cook(ctx, project, cook.CookOptions{Observer: printer{out: out}})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, summary.Cooked.Assets, "cooked,", summary.UpToDate(), "up to date")
	if n := summary.Failures(); n > 0 {
		return fmt.Errorf("failures: %d", n)
	}
	return nil
}

// A printer prints failures and warnings. It ignores all other events of an Observer.
type printer struct {
	cook.Observers
	out io.Writer
}

// Event prints the error of an asset.
func (p printer) Event(e cook.Event) {
	if e.Err != nil {
		fmt.Fprintf(p.out, "%s: %s: %v\n", e.Path, e.Outcome, e.Err)
	}
}
