// SPDX-License-Identifier: Apache-2.0
// Addresses of the web application mapped onto operations, jobs, files and the workbench of kdyn::app. Mapping only.
// docs/web.md lists them.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "book.hpp"
#include "http_server.hpp"
#include "kdyn/app/catalogue.hpp"
#include "kdyn/app/job_runner.hpp"
#include "kdyn/app/mount/workbench.hpp"
#include "kdyn/app/present/response_view.hpp"
#include "kdyn/app/project.hpp"

namespace kdyn::server {

// The last few things that were made from files, since the page asks about the same ones again and again. Made outside
// the lock.
template <class Thing>
class Recent {
 public:
  template <class Make>
  std::shared_ptr<const Thing> get(const std::string& key, Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      for (auto it = things_.begin(); it != things_.end(); ++it)
        if (it->first == key) {
          things_.splice(things_.begin(), things_, it);
          return things_.front().second;
        }
    }
    std::shared_ptr<const Thing> made = make();
    const std::lock_guard lock(mutex_);
    things_.emplace_front(key, made);
    if (things_.size() > 6) things_.pop_back();
    return made;
  }

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const Thing>>> things_;
};

class Routes {
 public:
  Routes(app::Project& project, app::JobRunner& jobs, Book book, Json facts);

  Reply answer(const Ask& ask);
  Reply report(const std::string& path) const;
  std::unique_ptr<Receiver> upload(const Ask& ask);
  std::string events(std::uint64_t& since, double seconds);

 private:
  Reply asset(const std::string& path) const;
  Reply file(const std::string& path, bool download) const;
  Reply page_of_book(const std::string& path) const;
  Reply about() const;
  Reply about_jobs(const Ask& ask, const std::string& rest);
  Reply workbench(const std::string& verb, const Json& body);
  std::string cover_file() const;  // the one used last
  Json copy_example(const std::string& name) const;
  std::string folder_for_example(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& files) const;
  Json save_model(const Json& body) const;
  Reply catalogue(const Ask& ask, const std::string& job);
  Reply responses(const Json& body);
  std::vector<std::string> project_files(const Json& names) const;
  std::string files_key(const Json& names) const;
  std::shared_ptr<const app::Workbench> bench_of(const Json& body);

  app::Project& project_;
  app::JobRunner& jobs_;
  app::Catalogue catalogue_;
  Book book_;
  Json facts_;
  Recent<app::Workbench> benches_;
  Recent<app::ResponseView> responses_;
};

}  // namespace kdyn::server
