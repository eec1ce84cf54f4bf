// Subtitles is a build program with its own recipe. It cooks SubRip subtitles to JSON, and all
// other assets as the cook command does.
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

// build brings a project's output directory up to date and prints the result.
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

// A printer is an observer that prints failures and warnings.
type printer struct {
	cook.Observers
	out io.Writer
}

func (p printer) Event(e cook.Event) {
	if e.Err != nil {
		fmt.Fprintf(p.out, "%s: %s: %v\n", e.Path, e.Outcome, e.Err)
	}
}
