// SPDX-License-Identifier: Apache-2.0
// SHA-256 by the names that kdyn calls it by (FIPS 180-4). For the page without a server only, which holds no secrets
// and takes no library along for one function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define EVP_MAX_MD_SIZE 64

struct EVP_MD {};
inline const EVP_MD* EVP_sha256() { return nullptr; }

struct EVP_MD_CTX {
  std::array<std::uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block{};
  std::uint64_t bytes = 0;

  void take_block(const unsigned char* p);
  void take(const void* data, std::size_t count);
  void end(unsigned char* digest);
};

inline void EVP_MD_CTX::take_block(const unsigned char* p) {
  static constexpr std::uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  const auto turned = [](std::uint32_t x, int by) { return (x >> by) | (x << (32 - by)); };
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = std::uint32_t{p[4 * i]} << 24 | std::uint32_t{p[4 * i + 1]} << 16 | std::uint32_t{p[4 * i + 2]} << 8 |
           p[4 * i + 3];
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >> 3)) +
           (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >> 10));
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t t1 = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
    const std::uint32_t t2 = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::uint32_t now[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += now[i];
}

inline void EVP_MD_CTX::take(const void* data, std::size_t count) {
  const auto* p = static_cast<const unsigned char*>(data);
  std::size_t held = bytes % 64;
  bytes += count;
  if (held > 0) {
    const std::size_t part = count < 64 - held ? count : 64 - held;
    std::memcpy(block.data() + held, p, part);
    p += part, count -= part, held += part;
    if (held < 64) return;
    take_block(block.data());
  }
  for (; count >= 64; p += 64, count -= 64) take_block(p);
  if (count > 0) std::memcpy(block.data(), p, count);
}

inline void EVP_MD_CTX::end(unsigned char* digest) {
  const std::uint64_t bits = bytes * 8;
  const unsigned char one = 0x80, none = 0;
  take(&one, 1);
  while (bytes % 64 != 56) take(&none, 1);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  take(length, 8);
  for (std::size_t i = 0; i < 32; ++i) digest[i] = static_cast<unsigned char>(state[i / 4] >> (24 - 8 * (i % 4)));
}

inline EVP_MD_CTX* EVP_MD_CTX_new() { return new EVP_MD_CTX; }
inline void EVP_MD_CTX_free(EVP_MD_CTX* context) { delete context; }
inline int EVP_DigestInit_ex(EVP_MD_CTX* context, const EVP_MD*, std::nullptr_t) {
  *context = {};
  return 1;
}
inline int EVP_DigestUpdate(EVP_MD_CTX* context, const void* data, std::size_t count) {
  context->take(data, count);
  return 1;
}
inline int EVP_DigestFinal_ex(EVP_MD_CTX* context, unsigned char* digest, unsigned int* length) {
  context->end(digest);
  *length = 32;
  return 1;
}
inline int EVP_Digest(const void* data, std::size_t count, unsigned char* digest, unsigned int* length, const EVP_MD*,
                      std::nullptr_t) {
  EVP_MD_CTX context;
  context.take(data, count);
  return EVP_DigestFinal_ex(&context, digest, length);
}
