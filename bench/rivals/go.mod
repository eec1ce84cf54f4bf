module github.com/assetcook/assetcook/bench/rivals

go 1.26.0

replace github.com/assetcook/assetcook => ../..

require (
	github.com/OneOfOne/xxhash v1.2.8
	github.com/assetcook/assetcook v0.0.0-00010101000000-000000000000
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/cockroachdb/swiss v0.0.0-20260820225851-333444432258
	github.com/dgryski/go-spooky v0.0.0-20170606183049-ed3d087f40e2
	github.com/dolthub/swiss v0.2.1
	github.com/go-faster/city v1.0.1
	github.com/klauspost/crc32 v1.3.0
	github.com/minio/crc64nvme v1.1.1
	github.com/minio/sha256-simd v1.0.1
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/twmb/murmur3 v1.2.2
	github.com/zeebo/xxh3 v1.1.0
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/zeebo/blake3 v0.2.4 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
