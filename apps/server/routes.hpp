// SPDX-License-Identifier: Apache-2.0
// Addresses of the web application mapped onto operations, jobs, files and the workbench of kdyn::app. Mapping only. docs/web.md lists them.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "http_server.hpp"
#include "kdyn/app/job_runner.hpp"
#include "kdyn/app/project.hpp"
#include "kdyn/app/workbench.hpp"

namespace kdyn::server {

class Routes {
 public:
  Routes(app::Project& project, app::JobRunner& jobs, Json facts);

  Reply answer(const Ask& ask);
  std::unique_ptr<Receiver> upload(const Ask& ask);
  std::string events(std::uint64_t& since, double seconds);

 private:
  Reply asset(const std::string& path) const;
  Reply file(const std::string& path, bool download) const;
  Reply about() const;
  Reply about_jobs(const Ask& ask, const std::string& rest);
  Reply workbench(const std::string& verb, const Json& body);
  Json copy_example(const std::string& name) const;
  Json save_model(const Json& body) const;
  std::shared_ptr<const app::Workbench> bench_of(const Json& body);

  app::Project& project_;
  app::JobRunner& jobs_;
  Json facts_;
  std::mutex benches_mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const app::Workbench>>> benches_;  // the last few that were looked at
};

}  // namespace kdyn::server
