// Command cook-remote shares results of cook on a server. cook starts it for -remote and for
// "cook remote check"; it lies beside cook or in PATH. It is a program of its own because
// each start of cook would pay for the libraries that speak to servers.
package main

import (
	"os"

	"github.com/assetcook/assetcook/cook/remote"
)

func main() { os.Exit(remote.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
