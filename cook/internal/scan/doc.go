// Package scan turns the asset folder into a sorted list of files with their
// stamps.
//
// # What it reads
//
// Folder listings, one lstat per entry, link targets, and .cookignore files.
// It opens no other file: whether content changed is for the index to ask.
//
// # What it leaves out
//
// Version control folders and editor or desktop litter (junk.go has the
// table), the folders of [Options.Exclude], what .cookignore files name, and
// what [Defaults] names and no .cookignore takes back in. A .cookignore reads as a .gitignore in the same place would (ignore.go); it
// is case-sensitive on every system, so that two machines cook the same set.
// The cook.toml files are listed apart, in [Tree.Configs]. Rules for files do
// not hide a cook.toml, rules for the folder that holds it do.
//
// # Links
//
// A link to a file or folder of the tree stands for its target, under the
// link's path; rules and junk names are judged on that path too. A folder link
// is followed once: folder links met below it are not. What leads out of the
// tree, round in a circle or nowhere is a [Problem]. The tree is held open as
// an [os.Root], so an entry that is swapped for a link during the walk cannot
// lead it astray.
//
// # Listing again
//
// [Tree.Folders] says what a later run must know to leave a folder unlisted:
// its stamp, and whether that is proof enough. [Again] lists those that must be
// listed after all.
//
// # Order
//
// Entries are sorted by the bytes of the whole path, and nothing in the result
// depends on the number of workers.
package scan
