package index

// The tables of a flat index. Each decodes the rows of some sections in place.
type (
	folderTable   struct{ x *flat } // sorted by tree and path
	nodeTable     struct{ x *flat } // by directory
	fileTable     struct{ x *flat } // nodes that are files, sorted by path
	actionTable   struct{ x *flat } // sorted by source and target
	depTable      struct{ x *flat } // by action
	artifactTable struct{ x *flat } // by action
)

func (x *flat) folders() folderTable     { return folderTable{x} }
func (x *flat) nodes() nodeTable         { return nodeTable{x} }
func (x *flat) files() fileTable         { return fileTable{x} }
func (x *flat) actions() actionTable     { return actionTable{x} }
func (x *flat) deps() depTable           { return depTable{x} }
func (x *flat) artifacts() artifactTable { return artifactTable{x} }
