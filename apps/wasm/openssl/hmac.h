// SPDX-License-Identifier: Apache-2.0
// HMAC (RFC 2104) by the name that kdyn calls it by; see evp.h.
#pragma once

#include <openssl/evp.h>

inline unsigned char* HMAC(const EVP_MD*, const void* key, int key_bytes, const unsigned char* data, std::size_t count,
                           unsigned char* digest, unsigned int* length) {
  unsigned char inner[64] = {}, outer[64] = {};
  if (key_bytes > 64) return nullptr;
  std::memcpy(inner, key, static_cast<std::size_t>(key_bytes));
  std::memcpy(outer, key, static_cast<std::size_t>(key_bytes));
  for (int i = 0; i < 64; ++i) inner[i] ^= 0x36, outer[i] ^= 0x5c;
  EVP_MD_CTX first, second;
  first.take(inner, 64);
  first.take(data, count);
  EVP_DigestFinal_ex(&first, digest, length);
  second.take(outer, 64);
  second.take(digest, 32);
  EVP_DigestFinal_ex(&second, digest, length);
  return digest;
}
