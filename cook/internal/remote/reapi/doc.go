// Package reapi keeps results on a server of the Bazel Remote Execution API, version 2:
// bazel-remote, Buildbarn, BuildBuddy, NativeLink, buildfarm, Bazel's own worker.
//
// Open asks for the server's capabilities and keeps to them: the digest function (BLAKE3 if
// available, so that blobs need no second hash, otherwise SHA-256), the size of a batch,
// Zstandard, and whether it accepts results. If a server does not support batch calls, each blob
// has its own call.
//
// Package connect makes the gRPC calls over net/http, and package messages encodes them. No
// generated code slows the start of a program that links this package.
package reapi
