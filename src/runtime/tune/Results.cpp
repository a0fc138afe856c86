// Results <-> entries of the disk cache, and <-> the file to be shipped.
#include "runtime/tune/Results.h"
#include "support/Bytes.h"
#include "support/Try.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <bit>
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
  auto parsed = llvm::json::parse((*text)->getBuffer());
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
    file.configs_[{kernel->str(), device->str(), key->str()}] = config->str();
  }
  return file;
}

Result<void> ResultsFile::write(const std::string &path) const {
  ResultsFile all;
  if (llvm::sys::fs::exists(path)) {
    TILEWISE_TRY(all, read(path));
  }
  for (const auto &[place, config] : configs_)
    all.configs_[place] = config;
  const std::string aside = path + "." + std::to_string(::getpid()) + ".tmp";
  std::error_code error;
  {
    llvm::raw_fd_ostream os(aside, error);
    if (!error) {
      os << "{\"tilewise_tuning\": 1, \"results\": [";
      const char *separator = "\n";
      for (const auto &[place, config] : all.configs_) {
        os << separator << "{\"kernel\": " << llvm::json::Value(place.kernel)
           << ", \"device\": " << llvm::json::Value(place.device) << ", \"key\": " << llvm::json::Value(place.key)
           << ", \"config\": " << llvm::json::Value(config) << "}";
        separator = ",\n";
      }
      os << "\n]}\n";
      os.close();
      error = os.error();
      os.clear_error();
    }
  }
  if (!error)
    error = llvm::sys::fs::rename(aside, path);
  if (error)
    return launchFailure("cannot write the tuning file '" + path + "': " + error.message());
  return {};
}

void ResultsFile::set(const Subject &subject, const Config &config) {
  configs_[{subject.kernel, subject.device, subject.key}] = config.str();
}

std::optional<Config> ResultsFile::find(const Subject &subject) const {
  auto found = configs_.find({subject.kernel, subject.device, subject.key});
  if (found == configs_.end())
    return std::nullopt;
  Result<Config> config = Config::parse(found->second);
  return config ? std::optional<Config>(*config) : std::nullopt;
}

} // namespace tilewise::tune
