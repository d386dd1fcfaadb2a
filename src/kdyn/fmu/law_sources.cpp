// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/law_sources.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline fmu {
namespace {

const LawSource& source_of(const std::string& path) {
  for (const LawSource& source : law_sources())
    if (source.path == path) return source;
  throw Error(ErrorCode::internal, "a header of the laws is not embedded", path, "report this");
}

// The header in which a law is defined.
const LawSource& header_of(const std::string& law) {
  for (const LawSource& source : law_sources())
    if (source.text.find(fmt::format("\nstruct {} {{", law)) != std::string::npos) return source;
  throw Error(ErrorCode::internal, "the header of a law is not embedded", law, "report this");
}

// The word kdyn where it names the namespace: behind "namespace ", or in front of "::".
std::string renamed(const std::string& text, const std::string& name_space) {
  constexpr std::string_view word = "kdyn", before = "namespace ", after = "::";
  const auto letter = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && letter(at - 1)) || letter(end)) continue;
    const bool declared = at >= before.size() && text.compare(at - before.size(), before.size(), before) == 0;
    if (!declared && text.compare(end, after.size(), after) != 0) continue;
    out.append(text, done, at - done).append(name_space);
    done = end;
  }
  return out.append(text, done);
}

constexpr const char* list_header = "kdyn/laws/law_list.hpp";

class Joiner {
 public:
  Joiner(const std::vector<std::string>& laws) : laws_(laws) {}

  void add(const std::string& path) {
    if (!seen_.insert(path).second) return;
    const LawSource& source = source_of(path);
    if (path == list_header) {
      std::string names;
      for (const std::string& law : laws_) {
        add(header_of(law).path);
        names += fmt::format(" LAW({})", law);
      }
      text_ += fmt::format("#define KDYN_LAWS(LAW){}\n\n", names);
    } else {
      for (const std::string& needed : source.before) add(needed);
      outside_.insert(source.outside.begin(), source.outside.end());
      text_ += fmt::format("// ---- {}\n{}\n", path, source.text);
    }
    for (const std::string& needed : source.after) add(needed);
    if (path == list_header) add("kdyn/laws/make_instance.hpp");
  }

  std::string result() const {
    std::string includes;
    for (const std::string& header : outside_) includes += fmt::format("#include <{}>\n", header);
    return includes + "\n" + text_;
  }

 private:
  std::vector<std::string> laws_;
  std::set<std::string> seen_, outside_;
  std::string text_;
};

}  // namespace

std::string joined_law_source(const std::string& root, const std::vector<std::string>& laws,
                              const std::string& name_space) {
  Joiner joiner(laws);
  joiner.add(root);
  return renamed(joiner.result(), name_space);
}

}  // namespace kdyn::inline fmu
