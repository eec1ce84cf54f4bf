package index

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/cook/internal/scan"
)

// A Tree is the root to which the path of a directory is relative.
type Tree uint8

const (
	Assets Tree = iota
	Out
	System // no root: paths are absolute
	trees
)

// Flags of a directory's row, above the two bits of its tree.
const (
	folderTree   = 3
	folderListed = 1 << 2 // the scan listed it
	folderOdd    = 1 << 3 // the scan must list it again
	folderFresh  = 1 << 4 // its stamp was too fresh to be trusted
	folderDead   = 1 << 5 // the changes drop it
)

// A folderRow is a decoded directory.
type folderRow struct {
	Tree Tree
	// Path ends in a slash, and is empty for the tree's root. Real is Path with links resolved.
	Path, Real []byte // in place
	real       []byte // Real with its NUL
	Stamp      scan.Stamp
	// Listed says that the scan listed the directory and wants no other files of it. Usable says
	// that an equal stamp means an equal listing.
	Listed, Usable bool
	Odd            bool // see scan.Folder
	Dead           bool
	First, Count   int // its nodes
	End            int // row after the last subdirectory
}

// RealName returns Real with a final NUL, as system calls want it.
func (f *folderRow) RealName() []byte { return f.real }

// Directories returns the number of directories.
func (t folderTable) len() int { return t.x.sections[secFolders].count }

// Directory decodes directory i. Directories are sorted by tree and path, so the subdirectories of
// each follow it.
func (t folderTable) decodeFolder(i int) folderRow {
	le := binary.LittleEndian
	r := t.x.row(secFolders, i)
	flags := le.Uint32(r[folderFlagsAt:])
	real := t.x.nulTerminated(r[folderRealAt:])
	return folderRow{
		Tree: Tree(flags & folderTree), Path: t.x.name(r), Real: real[:len(real)-1], real: real,
		Stamp:  decodeStamp(r[folderStampAt:]),
		Listed: flags&folderListed != 0,
		Usable: flags&(folderListed|folderOdd|folderFresh) == folderListed,
		Odd:    flags&folderOdd != 0,
		Dead:   flags&folderDead != 0,
		First:  int(le.Uint32(r[folderFirstAt:])), Count: int(le.Uint32(r[folderCountAt:])),
		End: int(le.Uint32(r[folderEndAt:])),
	}
}

// Flags of a node's row, above the three bits of its role.
const (
	nodeRole    = 7
	nodeSettled = 1 << 3
	nodeDead    = 1 << 4 // the changes drop or replace it
)

const noAction = 1<<32 - 1

// A Probe holds the arguments of stat for a node, and the last result.
type Probe struct {
	Name    []byte // in its directory, NUL-terminated, in place
	Role    Role
	Stamp   scan.Stamp
	Settled bool
	Dead    bool
}

// Idle reports whether the node needs no stat.
func (p *Probe) Idle() bool { return p.Dead || p.Role == ghost }

// needsNoStat reports whether node i needs no stat.
func (t nodeTable) needsNoStat(i int) bool {
	flags := binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeFlagsAt:])
	return flags&nodeDead != 0 || Role(flags&nodeRole) == ghost
}

// Follow reports whether stat should follow links. A dependency means the link's target, while
// the scan and the outputs accept no links.
func (p *Probe) Follow() bool { return p.Role == Other || p.Role == Absent }

// len returns the number of nodes.
func (t nodeTable) len() int { return t.x.sections[secNodes].count }

// probeNode decodes the part of node i that stat needs.
func (t nodeTable) probeNode(i int) Probe {
	r := t.x.row(secNodes, i)
	flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:])
	return Probe{
		Name: t.x.nulTerminated(r), Role: Role(flags & nodeRole), Stamp: decodeStamp(r[nodeStampAt:]),
		Settled: flags&nodeSettled != 0, Dead: flags&nodeDead != 0,
	}
}

// folderRowOf returns the directory of node i.
func (t nodeTable) folderRowOf(i int) int {
	return int(binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeFolderAt:]))
}

// actionOfNode returns the first action of a source, or the action that made an artifact.
func (t nodeTable) actionOfNode(i int) (action int, ok bool) {
	a := binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeActionAt:])
	return int(a), a != noAction
}
