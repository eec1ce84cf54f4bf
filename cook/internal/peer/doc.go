// Package peer lets a process ask another one that works on the same folder: cooks ask
// the watcher of their output folder.
//
// [Listen] and [Listener.Serve] answer questions at a Unix socket in the folder, [Ask]
// asks. Questions and answers are bytes to this package. Both sides check that the
// other belongs to the same user. While an answer takes time, the client is sent beats,
// which tell a process that works from one that was stopped.
package peer
