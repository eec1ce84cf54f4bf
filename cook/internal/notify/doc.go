// Package notify reports the folders in which something may have changed, so that a
// tree of a million files need not be compared to find nothing new.
//
// A [Watcher] has a set of folders and collects in which of them something changed: an
// entry was made, written, truncated, closed after writing, given other attributes,
// removed, or renamed in, out or within. [Watcher.Sync] returns the collection. The
// system queues an event before the call that caused it returns, and Sync empties the
// queue as it finds it, so every change made before Sync is in its result.
//
// To follow a tree:
//
//   - Add a folder first and list it then. What happens in between is reported by the
//     next Sync; the other way round it would be lost.
//   - List the [Changes.Folders] again, and add and list folders found new.
//   - Take [Changes.Unwatched] as unknown, and add and list again those that are still
//     met. A watch belongs to a directory, not to its path: it ends when the path, or
//     one above it, leads elsewhere or nowhere.
//   - A link to a folder may lead elsewhere because of a change anywhere: after each
//     change add those that lead to folders again, and see whether others do now.
//   - After [Changes.Vanished] look at all files. Do so as well after a folder was added
//     that may have changed before, or has become unwatched: what came into it and is
//     gone again, unwatched, cannot be known.
//   - Say what was [Watcher.Placed] by the program itself, or replacing it soon counts as
//     vanishing.
//   - After [Changes.Lost] nothing is watched any more: begin anew.
//
// A folder may be added by several paths, over links for instance; each of them is
// reported.
//
// # What no event shows
//
// The caller checks these:
//
//   - Writes through a shared mapping. Only the last unmapping or closing of the file
//     is seen, as a change, which may be long after the write.
//   - Writes by another of a file's hard links. The change is reported for the folder
//     through which the file was opened and for no other, even if that is watched. A
//     file with more than one link must be looked at each time.
//   - Writes through a descriptor whose name has been removed: they are reported for the
//     folder that had the name.
//   - Changes made by other hosts on a network file system, by the server below a FUSE
//     or overlay file system, and in pseudo file systems.
//   - A rename of a folder above those added, and a mount over one of them: the watches
//     stay with what they were put on. Compare the root's device and inode.
//   - The content behind a link to a file, as far as the link's folder goes: a change
//     is reported for the folder of the file itself.
//
// # Systems
//
// Linux has inotify.
//
// Windows has ReadDirectoryChangesW. One handle serves each tree of [Watcher.Within],
// because people cannot rename a folder above an open one. There the promise of Sync is
// weaker: a change that ended just before the call may be in the next result, after
// [Watcher.Wait] has returned for it, and a write shows when the file is closed or flushed.
// If the topmost folder of a tree is renamed, the next Sync finds that, but Wait does not
// return for it. A network drive may report nothing; [Watcher.Add] then returns an error.
//
// On other systems New returns an error, and the caller scans: kqueue needs a descriptor
// for every file, and FSEvents needs cgo.
package notify
