// Package scan turns the asset directory into a sorted list of files with their stamps.
//
// # What it reads
//
// Directory listings, one lstat per entry, link targets, and .cookignore files. It opens no other
// file: changes of contents are the index's business.
//
// # What it leaves out
//
//   - directories of version control, and leftovers of editors and desktops (the table in
//     junk.go)
//   - the directories of [Options.Exclude]
//   - files that a .cookignore names
//   - files that [Defaults] names and no .cookignore includes again
//
// A .cookignore has the meaning of a .gitignore in the same place (ignore.go). It is
// case-sensitive on every system, so that two machines cook the same set. The cook.toml files are
// listed separately, in [Tree.Configs]. Rules for files do not hide a cook.toml; rules for its
// directory do.
//
// # Links
//
// A link to a file or directory of the tree acts as its target under the link's path; ignore
// rules and junk names apply to that path too. A directory link is followed once: directory links
// below it are not followed. A link that leads out of the tree, in a circle or nowhere is a
// [Problem]. The tree is held open as an [os.Root], so an entry that is replaced by a link during
// the walk cannot lead outside.
//
// # Listing again
//
// [Tree.Folders] says what a later run must know to skip the listing of a directory: its stamp,
// and whether an equal stamp proves an equal listing. [Again] lists the other directories.
//
// # Order
//
// Entries are sorted by the bytes of the whole path, and nothing in the result depends on the
// number of workers.
package scan
