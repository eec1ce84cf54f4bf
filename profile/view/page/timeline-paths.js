// Call paths as the server sums them, as a tree.

const fields = 5; // of a node in the answer: parent, name, count, total, own

// treeOf returns the root of an answer; a node is { name, title, count, total, own, under,
// children }, and merged if it stands for several paths. Children are sorted by total.
export function treeOf({ names, nodes, total }) {
	const root = { name: "", title: "all", count: 0, total, own: 0, under: null, children: [] };
	const list = [];
	for (let i = 0; i < nodes.length; i += fields) {
		const under = nodes[i] < 0 ? root : list[nodes[i]], name = nodes[i + 1];
		const node = {
			name: names[name] ?? "", title: name < 0 ? "(others)" : names[name] || "(unnamed)", merged: name < 0,
			count: nodes[i + 2], total: nodes[i + 3], own: nodes[i + 4], under, children: [],
		};
		under.children.push(node);
		list.push(node);
	}
	for (const n of [root, ...list]) n.children.sort((a, b) => a.merged - b.merged || b.total - a.total || b.count - a.count);
	return { root, list };
}

// pathOf returns the names from the outermost scope to that of a node.
export function pathOf(node) {
	const names = [];
	for (let n = node; n.under; n = n.under) names.push(n.name);
	return names.reverse();
}
