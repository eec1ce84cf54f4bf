package main

// addShaders adds GLSL for Vulkan, with an include that three of them share, and
// WGSL.
func addShaders(t *tree) {
	const dir = "shaders/"
	t.addText(dir+"common.glsl", commonGLSL)
	t.addText(dir+"kart.vert", kartVert)
	t.addText(dir+"kart.frag", kartFrag)
	t.addText(dir+"terrain.frag", terrainFrag)
	t.addText(dir+"sky.frag", skyFrag)
	t.addText(dir+"particles.wgsl", particlesWGSL)
}

const commonGLSL = `// Shared by the kart, terrain and sky shaders.
#ifndef COMMON_GLSL
#define COMMON_GLSL

layout(set = 0, binding = 0) uniform Frame {
    mat4 view_projection;
    vec4 camera; // xyz: place in metres, w: time in seconds
    vec4 sun;    // xyz: direction towards the sun, w: strength
    vec4 fog;    // rgb: colour, w: density per metre
} frame;

const float PI = 3.14159265358979;

vec3 apply_fog(vec3 colour, float distance_m) {
    float clear = exp(-distance_m * frame.fog.w);
    return mix(frame.fog.rgb, colour, clear);
}

// Light that falls on a matt surface, with a little wrap so that the small
// world has no black side.
float wrapped_light(vec3 normal) {
    return max(0.0, (dot(normal, frame.sun.xyz) + 0.25) / 1.25) * frame.sun.w;
}

#endif
`

const kartVert = `#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texel;

layout(location = 0) out vec3 out_world;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec2 out_texel;

layout(set = 1, binding = 0) uniform Object {
    mat4 model;
} object;

void main() {
    vec4 world = object.model * vec4(in_position, 1.0);
    out_world = world.xyz;
    out_normal = mat3(object.model) * in_normal;
    out_texel = in_texel;
    gl_Position = frame.view_projection * world;
}
`

const kartFrag = `#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) in vec3 in_world;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texel;

layout(location = 0) out vec4 out_colour;

layout(set = 2, binding = 0) uniform texture2D base_map;
layout(set = 2, binding = 1) uniform texture2D orm_map;
layout(set = 2, binding = 2) uniform sampler linear_repeat;

void main() {
    vec3 base = texture(sampler2D(base_map, linear_repeat), in_texel).rgb;
    vec3 orm = texture(sampler2D(orm_map, linear_repeat), in_texel).rgb;
    vec3 normal = normalize(in_normal);
    vec3 to_eye = normalize(frame.camera.xyz - in_world);
    vec3 half_way = normalize(to_eye + frame.sun.xyz);

    float gloss = mix(128.0, 4.0, orm.g);
    float shine = pow(max(0.0, dot(normal, half_way)), gloss) * (1.0 - orm.g);
    vec3 colour = base * (0.2 * orm.r + wrapped_light(normal)) + mix(vec3(shine), base * shine, orm.b);
    out_colour = vec4(apply_fog(colour, distance(frame.camera.xyz, in_world)), 1.0);
}
`

const terrainFrag = `#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) in vec3 in_world;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texel;

layout(location = 0) out vec4 out_colour;

layout(set = 2, binding = 0) uniform texture2D pebbles_map;
layout(set = 2, binding = 1) uniform texture2D pebbles_normal_map;
layout(set = 2, binding = 2) uniform texture2D grass_map;
layout(set = 2, binding = 3) uniform texture2D rock_mask;
layout(set = 2, binding = 4) uniform sampler linear_repeat;

void main() {
    vec2 fine = in_texel * 24.0;
    float rock = texture(sampler2D(rock_mask, linear_repeat), in_texel).r;
    vec3 stone = texture(sampler2D(pebbles_map, linear_repeat), fine).rgb;
    vec3 grass = texture(sampler2D(grass_map, linear_repeat), fine).rgb;
    vec3 bump = texture(sampler2D(pebbles_normal_map, linear_repeat), fine).xyz * 2.0 - 1.0;

    vec3 normal = normalize(in_normal + vec3(bump.x, 0.0, -bump.y) * rock);
    vec3 colour = mix(grass, stone, rock) * (0.25 + wrapped_light(normal));
    out_colour = vec4(apply_fog(colour, distance(frame.camera.xyz, in_world)), 1.0);
}
`

const skyFrag = `#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(location = 0) in vec3 in_direction;

layout(location = 0) out vec4 out_colour;

layout(set = 2, binding = 0) uniform texture2D sky_map;
layout(set = 2, binding = 1) uniform texture2D cloud_map;
layout(set = 2, binding = 2) uniform sampler linear_repeat;

void main() {
    vec3 d = normalize(in_direction);
    vec2 round_up = vec2(atan(d.z, d.x) / (2.0 * PI) + 0.5, acos(clamp(d.y, -1.0, 1.0)) / PI);
    vec3 sky = texture(sampler2D(sky_map, linear_repeat), round_up).rgb;

    vec2 drift = vec2(frame.camera.w * 0.002, 0.0);
    float cloud = texture(sampler2D(cloud_map, linear_repeat), d.xz / max(d.y, 0.1) + drift).r;
    out_colour = vec4(mix(sky, vec3(1.0), cloud * smoothstep(0.05, 0.4, d.y)), 1.0);
}
`

const particlesWGSL = `// Dust, sparks and leaves: move them, then draw each as a square.

struct Particle {
    place: vec3<f32>,
    age: f32,
    speed: vec3<f32>,
    life: f32,
}

struct Frame {
    view_projection: mat4x4<f32>,
    right: vec4<f32>,
    up: vec4<f32>,
    gravity: vec3<f32>,
    step: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&particles)) {
        return;
    }
    var p = particles[id.x];
    p.age = p.age + frame.step;
    p.speed = p.speed + frame.gravity * frame.step;
    p.place = p.place + p.speed * frame.step;
    if (p.place.y < 0.0) {
        p.place.y = 0.0;
        p.speed = p.speed * vec3<f32>(0.7, -0.4, 0.7);
    }
    particles[id.x] = p;
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) texel: vec2<f32>,
    @location(1) fade: f32,
}

@group(0) @binding(2) var<storage, read> drawn: array<Particle>;
@group(1) @binding(0) var sprite: texture_2d<f32>;
@group(1) @binding(1) var linear_clamp: sampler;

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    let texel = vec2<f32>(f32(vertex & 1u), f32(vertex >> 1u));
    let p = drawn[instance];
    let out = texel * 2.0 - vec2<f32>(1.0, 1.0);
    let world = p.place + (frame.right.xyz * out.x + frame.up.xyz * out.y) * 0.1;
    var c: Corner;
    c.position = frame.view_projection * vec4<f32>(world, 1.0);
    c.texel = texel;
    c.fade = clamp(1.0 - p.age / p.life, 0.0, 1.0);
    return c;
}

@fragment
fn shade(c: Corner) -> @location(0) vec4<f32> {
    let colour = textureSample(sprite, linear_clamp, c.texel);
    return vec4<f32>(colour.rgb, colour.a * c.fade);
}
`
