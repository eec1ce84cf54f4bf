#version 450
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
