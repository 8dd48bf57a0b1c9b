#include "advisor/render/html_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/render/layout.h"
#include "nlohmann/json.hpp"

namespace advisor {

std::string HtmlText(absl::string_view text) {
  // The JSON library knows UTF-8.
  const std::string json =
      nlohmann::json(WithoutControlCharacters(text))
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return absl::StrReplaceAll(nlohmann::json::parse(json).get<std::string>(),
                             {{"&", "&amp;"},
                              {"<", "&lt;"},
                              {">", "&gt;"},
                              {"\"", "&quot;"},
                              {"'", "&#39;"}});
}

std::string HtmlElement(absl::string_view tag, absl::string_view inside) {
  return absl::StrCat("<", tag, ">", inside, "</", tag.substr(0, tag.find(' ')),
                      ">");
}

}  // namespace advisor
