// Lists the outputs of a manifest, one a line, from a table of all assets: list DIR
#include "../../../clients/c/cook.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct output {
	std::string id, path, blake3;
	long long size;
	bool inner;
	std::string role;
};
using asset = std::pair<std::string, std::string>; // source and target
using table = std::map<asset, std::vector<output>>;

// read_manifest adds the assets of a file of the manifest to a table. It returns false for damage.
static bool read_manifest(const std::string &dir, const std::string &file, table &assets)
{
	std::ifstream in(dir + "/" + file, std::ios::binary);
	const std::string text{std::istreambuf_iterator<char>(in), {}};
	cook_manifest m{};
	m.at = text.data();
	m.end = m.at + text.size();
	cook_output o;
	int r;
	while ((r = cook_manifest_next(&m, &o)) > 0) {
		if (!o.part) assets[{o.source, o.target}].push_back({o.id, o.path, o.blake3, o.size, o.inner != 0, o.role});
		else if (!read_manifest(dir, o.path, assets)) return false;
	}
	return in && r == 0;
}

int main(int argc, char **argv)
{
	table assets;
	if (argc != 2 || !read_manifest(argv[1], "manifest.json", assets)) return 1;
	for (const auto &a : assets) {
		for (const auto &o : a.second) std::printf("%s\t%s\t%s\t%s\t%lld\t%s\t%s\t%s\n", a.first.first.c_str(), a.first.second.c_str(), o.id.c_str(), o.path.c_str(), o.size, o.blake3.c_str(), o.inner ? "inner" : "", o.role.c_str());
	}
}
