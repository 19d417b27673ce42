/// A folder of a test's own, gone afterwards.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/sim.h"

struct Folder {
  std::filesystem::path path;
  Folder() {
    static int number = 0;
    path = common::schedule_folder("tenet-example-" + std::to_string(number++));
    std::filesystem::remove_all(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};
