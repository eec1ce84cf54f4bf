#version 450
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
