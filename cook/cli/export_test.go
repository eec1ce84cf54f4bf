package cli

import (
	"flag"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes"
)

// Commands has the programs that this test binary can run as, by name.
var Commands = commands

// flagsOf returns the flags of a verb; "" means the command line without a verb.
func flagsOf(verb string) *flag.FlagSet {
	return command{cook.Cook, recipes.All()}.newCall(nil).Find(verb).Flags()
}
