// SPDX-License-Identifier: Apache-2.0
// What lies in the folder of a job of the web application: job.json, progress.json, live.json, session files. Whatever
// the bytes, the record is used as it says or refused with its field; a mark is never taken for right.
// max_len: 2000
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/app/job_record.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/own_mark.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kdyn;
  static const app::OwnMark mark;  // its key is known to nobody
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    const Json in = parse_json(content, "job.json");
    if (in.is_object() && mark.is_on("0001-job", in)) __builtin_trap();
    if (in.is_object()) {
      app::JobProgress progress;
      from_known_fields(progress, in, "progress.json");
      app::ResultStatus status;
      from_known_fields(status, in, "result.json");
    }
    const app::JobRecord record = app::job_record(in);
    if (app::find_operation(record.operation) == nullptr || !record.options.is_object()) __builtin_trap();
    // What is written for it is a record again, with the same content.
    const Json out = app::described_json(record);
    if (dump_json(app::described_json(app::job_record(parse_json(dump_json(out), "again")))) != dump_json(out))
      __builtin_trap();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal || error.message().empty()) __builtin_trap();
  }
  return 0;
}
