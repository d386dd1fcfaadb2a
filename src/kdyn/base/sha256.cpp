// SPDX-License-Identifier: Apache-2.0
// Apart from the other functions of files: who needs no check sum needs no OpenSSL, such as the binaries of FMUs.
#include <memory>
#include <new>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::inline base {
namespace {

std::string hexadecimal(const unsigned char* digest, unsigned int length) {
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  // The one thing that this needs is memory.
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  return hexadecimal(digest, length);
}

std::string sha256(const ByteSource& bytes) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string scratch;
  for (std::uint64_t at = 0; at < bytes.size(); at += piece) {
    const std::string_view part = bytes.up_to(at, piece, scratch);
    demand(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1, "SHA-256 takes bytes");
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  demand(EVP_DigestFinal_ex(context.get(), digest, &length) == 1, "SHA-256 ends");
  return hexadecimal(digest, length);
}

}  // namespace kdyn::inline base
