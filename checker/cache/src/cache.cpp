#include "tenet/cache/cache.h"

#include <sqlite3.h>

#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "checksum.h"

namespace tenet::cache {
namespace {

/// "Tent": tells our files from other SQLite databases.
constexpr int kApplicationId = 0x54656e74;
/// Raised when the table changes; another version's file is left alone.
constexpr int kLayout = 1;
constexpr int kPatienceMilliseconds = 2000;
/// Beyond this the older half of the entries goes.
constexpr std::int64_t kMaxBytes = 512LL << 20;

/// A prepared statement, finalised at the end of its scope.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void bind(int index, const void* data, std::size_t size) {
    if (statement_ != nullptr) sqlite3_bind_blob64(statement_, index, data, size, SQLITE_TRANSIENT);
  }
  /// SQLITE_ROW, SQLITE_DONE or an error code.
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  [[nodiscard]] std::string blob(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return data == nullptr ? std::string()
                           : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  [[nodiscard]] std::int64_t number(int column) { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

struct Cache::Database {
  sqlite3* handle = nullptr;
  mutable std::mutex mutex;
  std::string trouble;
  bool usable = true;
  int puts = 0;

  ~Database() { sqlite3_close_v2(handle); }

  bool execute(const std::string& sql) {
    return sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  std::int64_t number(const char* sql) {
    Statement statement(handle, sql);
    return statement.step() == SQLITE_ROW ? statement.number(0) : -1;
  }
  /// Remembers what happened and stops using the file.
  void give_up(const std::string& what) {
    if (trouble.empty()) trouble = what + ": " + sqlite3_errmsg(handle);
    usable = false;
  }
  /// Whether the file is ours; makes the table in a new one.
  bool prepare() {
    const std::int64_t tables = number("SELECT count(*) FROM sqlite_master");
    if (tables == 0) {
      return execute("PRAGMA journal_mode=WAL") && execute("BEGIN IMMEDIATE") &&
             execute("PRAGMA application_id=" + std::to_string(kApplicationId)) &&
             execute("PRAGMA user_version=" + std::to_string(kLayout)) &&
             execute(
                 "CREATE TABLE IF NOT EXISTS entries(key BLOB PRIMARY KEY, value BLOB NOT NULL, sum BLOB NOT NULL, "
                 "used INTEGER NOT NULL) WITHOUT ROWID") &&
             execute("COMMIT");
    }
    return tables > 0 && number("PRAGMA application_id") == kApplicationId && number("PRAGMA user_version") == kLayout;
  }
  /// Whether what failed last is the place of the file, not what is in it.
  [[nodiscard]] bool cannot_be_used() const {
    const int code = sqlite3_errcode(handle);
    return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_READONLY ||
           code == SQLITE_PERM || code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_NOMEM;
  }
  void shrink() {
    const std::int64_t size = number("PRAGMA page_count") * number("PRAGMA page_size");
    if (size <= kMaxBytes) return;
    execute(
        "DELETE FROM entries WHERE used <= (SELECT used FROM entries ORDER BY used LIMIT 1 OFFSET (SELECT count(*)/2 "
        "FROM entries))");
    execute("VACUUM");
  }
};

Cache::Cache(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Cache::Cache(Cache&&) noexcept = default;
Cache& Cache::operator=(Cache&&) noexcept = default;
Cache::~Cache() = default;

Result<Cache> Cache::open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return failure(ErrorKind::io, "cannot make the folder " + folder + ": " + error.message());
  const std::string path = folder + "/results.sqlite";
  auto database = std::make_unique<Database>();
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  if (sqlite3_open_v2(path.c_str(), &database->handle, flags, nullptr) != SQLITE_OK) {
    return failure(ErrorKind::io, "cannot open " + path + ": " + sqlite3_errmsg(database->handle));
  }
  sqlite3_busy_timeout(database->handle, kPatienceMilliseconds);
  database->execute("PRAGMA synchronous=NORMAL");
  if (sqlite3_db_readonly(database->handle, "main") == 1) return failure(ErrorKind::io, path + " is read-only");
  if (!database->prepare()) {
    if (database->cannot_be_used()) return failure(ErrorKind::io, path + ": " + sqlite3_errmsg(database->handle));
    return failure(ErrorKind::io, path + " is damaged or not a cache of this version of Tenet");
  }
  return Cache(std::move(database));
}

std::optional<std::string> Cache::get(const Key& key) {
  const std::lock_guard lock(database_->mutex);
  if (!database_->usable) return std::nullopt;
  Statement statement(database_->handle, "SELECT value, sum FROM entries WHERE key = ?1");
  statement.bind(1, key.data(), key.size());
  const int row = statement.step();
  if (row == SQLITE_DONE) return std::nullopt;
  if (row != SQLITE_ROW) {
    database_->give_up("the cache cannot be read");
    return std::nullopt;
  }
  std::string value = statement.blob(0);
  // The key belongs to the sum: an entry that moved to another key is no entry.
  const Key sum = checksum(std::string(key.begin(), key.end()) + value);
  if (statement.blob(1) != std::string(sum.begin(), sum.end())) {
    if (database_->trouble.empty()) database_->trouble = "an entry of the cache is damaged";
    return std::nullopt;
  }
  return value;
}

void Cache::put(const Key& key, std::string_view bytes) {
  const std::lock_guard lock(database_->mutex);
  if (!database_->usable) return;
  const Key sum = checksum(std::string(key.begin(), key.end()).append(bytes));
  Statement statement(database_->handle,
                      "INSERT OR REPLACE INTO entries(key, value, sum, used) VALUES(?1, ?2, ?3, strftime('%s','now'))");
  statement.bind(1, key.data(), key.size());
  statement.bind(2, bytes.data(), bytes.size());
  statement.bind(3, sum.data(), sum.size());
  if (statement.step() != SQLITE_DONE) return database_->give_up("the cache cannot be written");
  if (++database_->puts % 64 == 1) database_->shrink();
}

std::string Cache::trouble() const {
  const std::lock_guard lock(database_->mutex);
  return database_->trouble;
}

}  // namespace tenet::cache
