// Package bench compares this module with the standard library and, in the module bench/rivals,
// with packages that the product does not need. It contains only benchmarks. It exports the parts
// that both modules share: the inputs, and the contests with this module's and the standard
// library's contenders.
//
// # Running
//
//	go test -run '^$' -bench Hash ./bench                        the comparison of README.md, within a minute
//	go test -run '^$' -bench . ./bench                           everything, in three minutes
//	go test -run '^$' -bench 'CRC32/poly=ieee' ./bench           one polynomial
//	BENCH_LARGE=1 go test -run '^$' -bench LargeFile ./bench     1 GiB, otherwise 64 MiB
//	go test -tags purego -run '^$' -bench CRC32 ./bench          without assembly
//	(cd bench/rivals && go test -run '^$' -bench .)              against other packages
//
// A benchmark takes 100 ms unless the command has -benchtime.
//
// # Comparing
//
// Names have benchstat's key=value form, so one file holds both sides:
//
//	go test -run '^$' -bench CRC32 -count 10 ./bench >crc.txt
//	benchstat -col /impl -row /poly,/size crc.txt
//
// To measure the effect of a change, compare a run before it and a run after it with -col .file.
// Only ratios within one run are meaningful; absolute times drift with the machine. bench/run.sh
// runs everything and writes bench/results.
//
// # Benchmarks
//
//	Hash       the libraries that programs choose from, by size, each called directly
//	HashNames, HashPointers
//	           lookups of 100 to 200,000 names and addresses: the hits of Intern and Pointer
//	CRC32      crcslice8 and its table kernels / hash/crc32, by polynomial and size
//	CRC64      CRCs of 64, 16 and 8 bits by crcslice8 / hash/crc64, by model and size
//	Sum        every function of the registry of package hashing, by size, and the
//	           libraries that have it too: std, cespare, zeebo, spaolacci, crcslice8
//	Quality    avalanche, dependence of bits and collisions of the same on words, paths,
//	           GUIDs and pointers, and of the hash of Go's maps with AES and without
//	Combine    crcslice8.Table.Combine and Shift / the method of zlib, by length
//	LargeFile  hashing.Files on one file / one stream
//	Intern     intern.Table / map, map with RWMutex, sync.Map, unique.Make
//	InternMemory
//	           bytes for a name in the same
//	Pointer    ptrhash.Table / map, sync.Map
//
// Inputs come from a generator with a fixed seed. Random reads have an order that is too long for a
// branch predictor to learn. Tests, or the benchmarks themselves, check that all sides give the
// same results.
package bench
