// Package notify reports the directories in which something may have changed, so that a no-op run
// need not compare a tree of a million files.
//
// A [Watcher] has a set of directories and collects the changed ones. A change is an entry that
// was created, written, truncated, closed after writing, given other attributes, removed, or
// renamed in, out or within. [Watcher.Sync] returns the collected changes. The system queues an
// event before the causing call returns, and Sync empties the queue, so its result includes every
// change made before the call.
//
// To follow a tree:
//
//   - Add a directory first, then list it. The next Sync reports changes in between; in the other
//     order they would be lost.
//   - List the [Changes.Folders] again, and add and list new directories.
//   - Treat the directories of [Changes.Unwatched] as unknown. Add and list each one that still
//     exists. A watch belongs to a directory, not to its path: it ends when the path, or a
//     directory above it, is moved, removed or replaced.
//   - A change anywhere may make a link lead to another directory: after each change, add linked
//     directories again, and check the targets of other links.
//   - After [Changes.Vanished], check all files. Do the same after adding a directory that may
//     have changed before, or one that has become unwatched: files that appeared and vanished
//     there are unknown.
//   - Report files that the program itself has placed by [Watcher.Placed]; otherwise a later
//     replacement counts as vanishing.
//   - After [Changes.Lost], nothing is watched any more: start again.
//
// A directory may be added by several paths, for example over links; changes are reported for
// each of them.
//
// # Changes without events
//
// The caller checks these:
//
//   - Writes through a shared mapping. Only the last unmapping or closing of the file causes an
//     event, which may be long after the write.
//   - Writes through another hard link of a file. The change is reported only for the directory
//     through which the file was opened, even if other directories are watched. A file with more
//     than one link must be checked each time.
//   - Writes through a descriptor whose name has been removed: they are reported for the
//     directory that had the name.
//   - Changes made by other hosts on a network file system, by the server below a FUSE or overlay
//     file system, and in pseudo file systems.
//   - A rename of a directory above the added ones, and a mount over one of them: the watches
//     stay with the original directories. Compare the root's device and inode.
//   - Changed contents behind a link to a file: the change is reported for the directory of the
//     file itself, not of the link.
//
// # Systems
//
// Linux has inotify.
//
// Windows has ReadDirectoryChangesW. One handle serves each tree of [Watcher.Within], because a
// directory above an open one cannot be renamed. The guarantee of Sync is weaker there: a change
// that ended just before the call may be in the next result, after [Watcher.Wait] has returned
// for it, and a write is reported when the file is closed or flushed. If the topmost directory of
// a tree is renamed, the next Sync reports it, but Wait does not return for it. A network drive
// may report nothing; [Watcher.Add] then returns an error.
//
// On other systems New returns an error, and the caller scans: kqueue needs a descriptor
// for every file, and FSEvents needs cgo.
package notify
