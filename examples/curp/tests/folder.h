/// A folder of a test's own, gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

struct Folder {
  std::filesystem::path path;
  Folder() {
    static int number = 0;
    path = std::filesystem::temp_directory_path() /
           ("curp-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::remove_all(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};
