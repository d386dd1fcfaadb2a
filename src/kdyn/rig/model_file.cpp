// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/model_file.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn {
namespace {

struct Reader {
  const char* model;
  std::unique_ptr<Mount> (*read)(const Json&, const std::string&);
};

// A new law joins with one line here.
const Reader readers[] = {
    {"elastomer", [](const Json& in, const std::string& where) { return make_mount(elastomer_from_json(in, where)); }},
    {"hydromount", [](const Json& in, const std::string& where) { return make_mount(hydromount_from_json(in, where)); }},
};

}  // namespace

std::unique_ptr<Mount> mount_from_json(const Json& in, const std::string& where) {
  std::vector<std::string> known;
  for (const Reader& reader : readers) known.push_back(reader.model);
  if (!in.is_object() || !in.contains("model"))
    throw_bad_input(where, "this is no model: the key \"model\" is missing",
                    fmt::format("write {{\"model\": \"{}\", \"parameters\": {{...}}}}", known.front()));
  const Json& model = in["model"];
  if (model.is_object()) return mount_from_json(model, where + ".model");
  if (!model.is_string()) throw_bad_input(where + ".model", "the model's name must be text", "known: " + join(known, ", "));
  const auto name = model.get<std::string>();
  for (const Reader& reader : readers)
    if (name == reader.model) return reader.read(in, where);
  throw_bad_input(where + ".model", fmt::format("unknown model {}", in_quotes(name)), suggest(name, known));
}

std::unique_ptr<Mount> read_mount(const std::string& path) { return mount_from_json(read_json(path), path); }

}  // namespace kdyn
