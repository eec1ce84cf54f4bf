package cmdline

import (
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
)

// suggestions adds flags to the suggestions of package cook, which does not know that a command
// uses it.
var suggestions = strings.NewReplacer(
	"choose another output directory", "choose another output directory with -out",
	"choose another directory for the store", "choose another directory for the store with -cache",
	"choose writable directories", "choose writable directories with -out and -cache",
	"name the store of this project, here", "name the store of this project (-cache or COOKCACHE), here",
	"set COOKCACHE or choose one", "set COOKCACHE or -cache",
	" workers: want", " workers (-j): want",
	"allow more open files or use fewer workers", "allow more open files (ulimit -n) or use fewer workers (-j)",
	"of memory; the budget is", "of memory; the budget (-mem) is",
	"; wait for it or", "; wait for it (cook -wait does) or",
	"cook again ignoring timestamps", "cook again ignoring timestamps (-check-contents)",
	"they are removed by force only", "they are removed with -force only",
	"list them first, then remove them by force", "list them first (-n), then remove them with -force",
	"remove extra files", "remove extra files (cook clean -extra)",
	"a watching cook (", "cook -watch (",
	"another watching cook", "another cook -watch",
)

// WithFlags adds flags to the suggestions of a text.
func WithFlags(text string) string { return suggestions.Replace(text) }

// A flagged error has flags in its suggestions.
type flagged struct{ error }

func (e flagged) Error() string { return WithFlags(e.error.Error()) }
func (e flagged) Unwrap() error { return e.error }

// AddFlags adds flags to the suggestions of an error.
func AddFlags(err error) error {
	if err == nil {
		return nil
	}
	return flagged{err}
}

// A flagging observer adds flags to the suggestions of texts, and passes all on.
type flagging struct{ cook.Observers }

// Flagging returns an observer that adds flags to the suggestions of texts for other observers.
func Flagging(to ...cook.Observer) cook.Observer { return flagging{to} }

func (o flagging) Event(e cook.Event) {
	e.Err = AddFlags(e.Err)
	o.Observers.Event(e)
}

func (o flagging) Note(text string) { o.Observers.Note(WithFlags(text)) }

func (o flagging) Finding(f cook.Finding) {
	f.Text = WithFlags(f.Text)
	report.Find(o.Observers, f)
}
