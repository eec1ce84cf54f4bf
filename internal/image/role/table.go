package role

// Where a word counts, and how much.
const (
	atEnd    = 1 << iota // behind all others but tags
	front                // before all others
	anywhere             // between them
	inFolder             // as a folder's last word
	english              // says less than a folder: "ui/normal"
	whole                // only behind a separator: "wall_metal", not "wallMetal"
	letter               // only behind an underscore
	frames               // only with a number behind it
)

// A word is one that says something at some places of a name.
type word struct {
	text  string
	name  Name
	flags uint16
	tag   tag
}
