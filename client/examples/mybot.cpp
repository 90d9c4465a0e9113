// A bot: plays the middle cell of the list of legal cells.
//   g++ mybot.cpp -o mybot && noughts arena easy --rules connect4 -- ./mybot
#include <iostream>
#include <regex>
#include <string>
#include <vector>

int main() {
    const std::regex name("[a-z][0-9.-]+");
    for (std::string line; std::getline(std::cin, line);) {
        const auto legal = line.begin() + line.find("\"legal\"");
        const std::vector<std::string> cells(std::sregex_token_iterator(legal, line.end(), name), {});
        std::cout << cells[cells.size() / 2] << std::endl;
    }
}
