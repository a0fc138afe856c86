// Results <-> entries of the disk cache, and <-> the file to be shipped.
#include "runtime/tune/Results.h"
#include "support/Bytes.h"
#include "support/Try.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise::tune {

static constexpr llvm::StringLiteral kKind = "tuning";

static cache::Key keyOf(const Subject &subject) {
  cache::KeyBuilder key(kKind);
  return key.add(subject.kernel).add(subject.identity).add(subject.device).add(subject.key).finish();
}

Times recallTimes(const Subject &subject, cache::Folder *folder) {
  Times times;
  std::optional<cache::Entry> entry = folder ? folder->read(keyOf(subject), kKind) : std::nullopt;
  if (!entry)
    return times;
  ByteReader reader{entry->payload};
  const uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    std::string config = reader.string();
    times[std::move(config)] = std::bit_cast<double>(reader.number());
  }
  return reader.broken ? Times() : times;
}

void keepTimes(const Subject &subject, const Times &times, cache::Folder *folder) {
  if (!folder)
    return;
  ByteWriter bytes;
  bytes.number(times.size());
  for (const auto &[config, seconds] : times) {
    bytes.string(config);
    bytes.number(std::bit_cast<uint64_t>(seconds));
  }
  folder->write({keyOf(subject), kKind.str(), subject.kernel + " on " + subject.device + " for " + subject.key,
                 std::move(bytes.bytes)});
}

Result<ResultsFile> ResultsFile::read(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text)
    return launchFailure("cannot read the tuning file '" + path + "': " + text.getError().message());
  return parse((*text)->getBuffer(), path);
}

Result<ResultsFile> ResultsFile::parse(llvm::StringRef text, const std::string &path) {
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return launchFailure("the tuning file '" + path + "' is not valid JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *results = object ? object->getArray("results") : nullptr;
  if (!results || object->getInteger("tilewise_tuning") != 1)
    return launchFailure("'" + path + "' is not a tuning file of this version");
  ResultsFile file;
  for (const llvm::json::Value &value : *results) {
    const llvm::json::Object *one = value.getAsObject();
    auto field = [&](llvm::StringRef name) { return one ? one->getString(name) : std::nullopt; };
    const auto kernel = field("kernel"), device = field("device"), key = field("key"), config = field("config");
    if (!kernel || !device || !key || !config)
      return launchFailure("the tuning file '" + path + "' has a result without kernel, device, key or config");
    if (Result<Config> parsed = Config::parse(*config); !parsed)
      return launchFailure("the tuning file '" + path + "', kernel '" + kernel->str() +
                           "': " + parsed.takeFailure().message);
    file.configs_[{kernel->str(), device->str(), key->str()}] = config->str();
  }
  return file;
}

namespace {

/// The file beside `path` that the next version is written to, for one writer at a time: others,
/// threads and processes, wait. One that was killed leaves its lock to the kernel and the file to
/// the next writer.
class Aside {
public:
  explicit Aside(std::string path) : path_(std::move(path)) {
    while ((file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) >= 0) {
      // A file system without locks has no order of writers; each still writes a whole file.
      ::flock(file_, LOCK_EX);
      struct stat held, named;
      if (::fstat(file_, &held) == 0 && ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino)
        return;
      // Whoever held it has put it into place.
      ::close(file_);
    }
    error_ = std::error_code(errno, std::generic_category());
  }
  ~Aside() {
    if (file_ < 0)
      return;
    if (!isInPlace_)
      ::unlink(path_.c_str());
    ::close(file_);
  }

  std::error_code error() const { return error_; }

  std::error_code replace(const std::string &path, llvm::StringRef text) {
    if (::ftruncate(file_, 0) != 0)
      return std::error_code(errno, std::generic_category());
    llvm::raw_fd_ostream os(file_, /*shouldClose=*/false);
    os << text;
    os.flush();
    const std::error_code error = os.error();
    os.clear_error();
    if (error)
      return error;
    isInPlace_ = ::rename(path_.c_str(), path.c_str()) == 0;
    return isInPlace_ ? std::error_code() : std::error_code(errno, std::generic_category());
  }

private:
  std::string path_;
  int file_ = -1;
  bool isInPlace_ = false;
  std::error_code error_;
};

} // namespace

std::string ResultsFile::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"tilewise_tuning\": 1, \"results\": [";
  const char *separator = "\n";
  for (const auto &[place, config] : configs_) {
    os << separator << "{\"kernel\": " << llvm::json::Value(place.kernel)
       << ", \"device\": " << llvm::json::Value(place.device) << ", \"key\": " << llvm::json::Value(place.key)
       << ", \"config\": " << llvm::json::Value(config) << "}";
    separator = ",\n";
  }
  os << "\n]}\n";
  return text;
}

Result<void> ResultsFile::write(const std::string &path) const {
  Aside aside(path + ".tmp");
  std::error_code error = aside.error();
  if (!error) {
    ResultsFile all;
    if (llvm::sys::fs::exists(path)) {
      TILEWISE_TRY(all, read(path));
    }
    all.add(*this);
    error = aside.replace(path, all.text());
  }
  if (error)
    return launchFailure("cannot write the tuning file '" + path + "': " + error.message());
  return {};
}

void ResultsFile::set(const Subject &subject, const Config &config) {
  configs_[{subject.kernel, subject.device, subject.key}] = config.str();
}

void ResultsFile::add(const ResultsFile &other) {
  for (const auto &[place, config] : other.configs_)
    configs_[place] = config;
}

void ResultsFile::each(const std::string &kernel, const std::string &device,
                       llvm::function_ref<void(const std::string &, const Config &)> see) const {
  for (auto at = configs_.lower_bound({kernel, device, ""}); at != configs_.end(); ++at) {
    if (at->first.kernel != kernel || at->first.device != device)
      return;
    if (Result<Config> config = Config::parse(at->second))
      see(at->first.key, *config);
  }
}

std::optional<Config> ResultsFile::find(const Subject &subject) const {
  auto found = configs_.find({subject.kernel, subject.device, subject.key});
  if (found == configs_.end())
    return std::nullopt;
  Result<Config> config = Config::parse(found->second);
  return config ? std::optional<Config>(*config) : std::nullopt;
}

} // namespace tilewise::tune
