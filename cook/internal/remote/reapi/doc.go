// Package reapi keeps results on a server of the Bazel Remote Execution API, version 2:
// bazel-remote, Buildbarn, BuildBuddy, NativeLink, buildfarm, Bazel's own worker.
//
// What the server can do is asked when it is opened, and kept to: the digest function
// (BLAKE3 where it is offered, so that blobs need no second hash, else SHA-256), how much
// fits into a batch, Zstandard, and whether it takes results. A server that does not know
// the calls for batches gets each blob by itself.
//
// Package connect makes the gRPC calls over net/http, and package messages encodes them. No
// generated code slows the start of a program that links this package.
package reapi
