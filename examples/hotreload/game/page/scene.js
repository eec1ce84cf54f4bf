// A turning square with a texture. All that it is made of changes while it is edited.
import { reload } from "/reload.js"
import { upload } from "./ktx2.js"

const byID = id => document.getElementById(id)
const gl = byID("view").getContext("webgl2", { preserveDrawingBuffer: true })
const bptc = gl.getExtension("EXT_texture_compression_bptc")
const target = bptc ? "bc7" : "rgba8"
const vertex = `#version 300 es
uniform float angle, tiles;
out vec2 at;
void main() {
  vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = p * tiles;
  vec2 q = (p * 2.0 - 1.0) * 0.8;
  gl_Position = vec4(mat2(cos(angle), sin(angle), -sin(angle), cos(angle)) * q * vec2(1, -1), 0, 1);
}`

const scene = { speed: 0, tiles: 1, tint: [1, 1, 1], background: [0, 0, 0] }
const texture = gl.createTexture()
let program, angle = 0, before = 0, dirty = true

async function artifact(name) {
  const answer = await fetch(`/cooked/${target}/${name}`)
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`)
  return answer
}

async function loadTexture() {
  const data = await (await artifact("texture.png.ktx2")).arrayBuffer()
  gl.bindTexture(gl.TEXTURE_2D, texture)
  const what = upload(gl, bptc, data)
  byID("format").textContent = `${what}; ${bptc ? "the browser shows BC7" : "this browser shows no BC7: the target rgba8 is shown"}`
}

async function loadScene() {
  Object.assign(scene, await (await artifact("scene.json")).json())
}

async function loadShader() {
  const next = gl.createProgram()
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, await (await artifact("scene.frag")).text()]]) {
    const shader = gl.createShader(type)
    gl.shaderSource(shader, text)
    gl.compileShader(shader)
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader))
    gl.attachShader(next, shader)
  }
  gl.linkProgram(next)
  if (!gl.getProgramParameter(next, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(next))
  gl.deleteProgram(program)
  program = next
}

// What cannot be loaded leaves what was there before.
const shown = load => async change => {
  try {
    if (!change?.removed) await load()
    dirty = true
    byID("problem").textContent = ""
  } catch (error) {
    byID("problem").textContent = error.message
  }
}

function draw(now) {
  angle += scene.speed * (now - before) / 1000
  gl.clearColor(...scene.background, 1)
  gl.clear(gl.COLOR_BUFFER_BIT)
  if (!program) return
  gl.useProgram(program)
  gl.bindTexture(gl.TEXTURE_2D, texture)
  gl.uniform1f(gl.getUniformLocation(program, "angle"), angle)
  gl.uniform1f(gl.getUniformLocation(program, "tiles"), scene.tiles)
  gl.uniform3fv(gl.getUniformLocation(program, "tint"), scene.tint)
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4)
}

// The next frame shows what has been loaded, and is timed when the GPU is done with it.
let waiting = []
function frame(now) {
  if (dirty || scene.speed !== 0) draw(now)
  dirty = false
  before = now
  if (waiting.length > 0) {
    gl.finish()
    for (const note of waiting.splice(0)) note(performance.timeOrigin + performance.now())
  }
  requestAnimationFrame(frame)
}

const log = changes => waiting.push(at => {
  for (const change of changes.filter(c => c.path.startsWith(target + "/"))) {
    const row = byID("log").insertRow(0)
    row.insertCell().textContent = change.path + (change.removed ? " (removed)" : "")
    row.insertCell().textContent = change.saved ? `${(at - change.saved).toFixed(1)} ms` : "not known"
    if (byID("log").rows.length > 20) byID("log").deleteRow(-1)
  }
})

const handlers = { "texture.png.ktx2": shown(loadTexture), "scene.json": shown(loadScene), "scene.frag": shown(loadShader) }
const all = () => Promise.all(Object.values(handlers).map(load => load()))
await reload("/events", Object.fromEntries(Object.entries(handlers).map(([name, load]) => [`${target}/${name}`, load])), { compare: all, applied: log })
await all()
requestAnimationFrame(frame)
document.body.dataset.ready = "true"
