// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/catalogue.hpp"

#include <sstream>
#include <vector>

#include <sqlite3.h>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::app {

struct Catalogue::Database {
  sqlite3* handle = nullptr;
  std::string path;

  ~Database() { sqlite3_close(handle); }

  [[noreturn]] void fail(const char* verb) const {
    throw Error(
        ErrorCode::file_access,
        fmt::format("cannot {} the catalogue: {}", verb, handle == nullptr ? "no memory" : sqlite3_errmsg(handle)),
        path, "check the project folder; a damaged catalogue can be deleted, the jobs stay");
  }
  void run(const char* sql) const {
    if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("prepare");
  }
};

namespace {

// A statement with its texts bound; every value travels as a bound text, never as part of the SQL.
class Statement {
 public:
  Statement(sqlite3* handle, const std::string& sql, const std::vector<std::string>& texts) {
    if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) return;
    ok_ = true;
    for (std::size_t i = 0; i < texts.size(); ++i)
      ok_ = ok_ && sqlite3_bind_text(statement_, static_cast<int>(i + 1), texts[i].data(),
                                     static_cast<int>(texts[i].size()), SQLITE_TRANSIENT) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool ok() const { return ok_; }
  int step() { return sqlite3_step(statement_); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool ok_ = false;
};

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json::object() : value;
}

// '%', '_' and the escape itself stand for themselves in a search.
std::string pattern_of(const std::string& word) {
  std::string out = "%";
  for (const char c : word) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + "%";
}

constexpr const char* columns = "part, direction, batch, note, job, operation, parameters, fit, fitted";

}  // namespace

Catalogue::Catalogue(const std::string& path) : database_(std::make_unique<Database>()) {
  database_->path = path;
  if (sqlite3_open_v2(path.c_str(), &database_->handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr) != SQLITE_OK)
    database_->fail("open");
  sqlite3_busy_timeout(database_->handle, 5000);
  // Temporary tables in memory: the server may write in the project folder only.
  database_->run("PRAGMA temp_store = MEMORY");
  // The file may come with a project of somebody else: its views and triggers run nothing but plain SQL.
  database_->run("PRAGMA trusted_schema = OFF");
  database_->run(
      "CREATE TABLE IF NOT EXISTS entries (job TEXT PRIMARY KEY, part TEXT NOT NULL, direction TEXT NOT NULL, batch "
      "TEXT NOT NULL, note TEXT NOT "
      "NULL, operation TEXT NOT NULL, parameters TEXT NOT NULL, fit TEXT NOT NULL, fitted TEXT NOT NULL)");
  database_->run("CREATE INDEX IF NOT EXISTS by_part ON entries (part, direction)");
}

Catalogue::~Catalogue() = default;

void Catalogue::put(const CatalogueEntry& e) {
  if (e.part.empty()) throw_bad_input("part", "the part has no number", "give the number or name the part is known by");
  if (e.job.empty()) throw_bad_input("job", "no fit is named", "choose a fit");
  for (const std::string* text : {&e.part, &e.direction, &e.batch, &e.note})
    if (text->size() > 2000) throw_bad_input("catalogue", "a text has more than 2000 characters", "shorten it");
  const std::lock_guard lock(mutex_);
  Statement statement(
      database_->handle, fmt::format("INSERT OR REPLACE INTO entries ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", columns),
      {e.part, e.direction, e.batch, e.note, e.job, e.operation, dumped(e.parameters), dumped(e.fit), e.fitted});
  if (!statement.ok() || statement.step() != SQLITE_DONE) database_->fail("write");
}

void Catalogue::remove(const std::string& job) {
  const std::lock_guard lock(mutex_);
  Statement statement(database_->handle, "DELETE FROM entries WHERE job = ?", {job});
  if (!statement.ok() || statement.step() != SQLITE_DONE) database_->fail("write");
}

Json Catalogue::find(const std::string& search, std::size_t limit) const {
  std::string sql = fmt::format("SELECT {} FROM entries", columns);
  std::vector<std::string> texts;
  std::istringstream words(search);
  for (std::string word; words >> word && texts.size() < 20;) {
    sql += texts.empty() ? " WHERE " : " AND ";
    sql +=
        "(part || ' ' || direction || ' ' || batch || ' ' || note || ' ' || job || ' ' || operation) LIKE ? ESCAPE "
        "'\\'";
    texts.push_back(pattern_of(word));
  }
  sql += fmt::format(" ORDER BY fitted DESC, job DESC LIMIT {}", limit);
  const std::lock_guard lock(mutex_);
  Statement statement(database_->handle, sql, texts);
  if (!statement.ok()) database_->fail("read");
  std::vector<CatalogueEntry> all;
  int code = SQLITE_ROW;
  while ((code = statement.step()) == SQLITE_ROW)
    all.push_back({statement.text(0), statement.text(1), statement.text(2), statement.text(3), statement.text(4),
                   statement.text(5), parsed(statement.text(6)), parsed(statement.text(7)), statement.text(8)});
  if (code != SQLITE_DONE) database_->fail("read");
  return described_json(all);
}

const FieldTable& fields_of(const CatalogueEntry*) {
  using E = CatalogueEntry;
  static const FieldTable table = FieldTable::results<E>("entry of the catalogue", [](FieldTable& t) {
    t.add(&E::part, "part", "-", "Number or name of the part");
    t.add(&E::direction, "direction", "-", "Direction");
    t.add(&E::batch, "batch", "-", "Batch");
    t.add(&E::note, "note", "-", "Note");
    t.add(&E::job, "job", "-", "Folder of the fit");
    t.add(&E::operation, "operation", "-", "Operation of the fit");
    t.add(&E::parameters, "parameters", "-", "Parameters as in result.json");
    t.add(&E::fit, "fit", "-", "Misfits as in result.json");
    t.add(&E::fitted, "fitted", "-", "Time of the fit");
  });
  return table;
}

}  // namespace kdyn::app
