// Dust, sparks and leaves: move them, then draw each as a square.

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
