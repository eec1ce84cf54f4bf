#version 450
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
