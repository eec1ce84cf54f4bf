package inspect

import (
	"errors"
	"flag"

	"github.com/assetcook/assetcook/profile/view/command"
)

// Flags declares the flags by which a viewer is told of a project. When they have been
// parsed, the function that it returns adds the tab if there is an asset folder.
func Flags(fs *flag.FlagSet) func(*command.Viewer) error {
	var o Options
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
