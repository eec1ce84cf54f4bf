// Command cook-view shows recordings, snapshots of memory, runs of cook and what they made
// as pages in a browser. "cook view" and "cook -http" start it; it lies beside cook or in
// PATH. It is a program of its own because each start of cook would pay for the web server.
package main

import (
	"os"

	"github.com/assetcook/assetcook/cook/inspect"
	"github.com/assetcook/assetcook/profile/view/command"
	"github.com/assetcook/assetcook/recipes"
)

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, inspect.Flags(recipes.All()...)))
}
