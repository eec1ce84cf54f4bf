package inspect

import (
	"errors"
	"flag"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/profile/view/command"
)

// Flags returns what declares the flags by which a viewer is told of a project, whose recipes
// are among those given. When the flags have been parsed, the function that it returns adds the
// tab if there is an asset folder.
func Flags(recipes ...recipe.Recipe) func(*flag.FlagSet) func(*command.Viewer) error {
	return func(fs *flag.FlagSet) func(*command.Viewer) error { return flags(fs, Options{Recipes: recipes}) }
}

func flags(fs *flag.FlagSet, o Options) func(*command.Viewer) error {
	fs.StringVar(&o.Dir, "dir", "", "`folder` of source assets that are to be shown")
	fs.StringVar(&o.Out, "out", "", "output `folder` of -dir (default: cooked beside the asset folder)")
	fs.StringVar(&o.Program, "program", "", "`program` that cooks and explains the assets of -dir")
	handed := []string{"cache", "config", "target"}
	for _, name := range handed {
		fs.String(name, "", "what -program is given as -"+name)
	}
	return func(v *command.Viewer) error {
		if o.Dir == "" {
			if o.Out != "" {
				return errors.New("-out needs -dir")
			}
			return nil
		}
		for _, name := range handed {
			if f := fs.Lookup(name); f.Value.String() != "" {
				o.Flags = append(o.Flags, "-"+name, f.Value.String())
			}
		}
		tab, err := Tab(o)
		if err != nil {
			return err
		}
		v.Tabs = append(v.Tabs, tab)
		if v.Title == "" {
			v.Title = o.Dir
		}
		return nil
	}
}
