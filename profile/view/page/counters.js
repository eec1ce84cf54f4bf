// Counters as graphs and a table.
export const tab = { id: "counters", title: "Counters", shown: info => info.counters, mount: () => ({}) };
